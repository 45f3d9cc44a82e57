#include "lsq_problems.h"
#include "test.h"

typedef struct Run {
  LsqTest *t;
  LsqPoint *best;
  LocalResult result;
  LocalOptions options;
} Run;

static Run *run_new(LsqResiduals *residuals, int m, int n, const double *start, int model) {
  LsqTest *t = lsq_test_new(residuals, m, n);
  Run *r = ARENA_NEW(t->arena, Run);
  *r = (Run){.t = t, .options = lsq_test_options()};
  r->best = r->result.best = lsq_point_new(t->arena, n);
  if (n) memcpy(r->best->x, start, (size_t)n * sizeof *start);
  r->options.filter_model = model;
  return r;
}

static void run_it(Run *r) {
  local_implicit_filtering(&r->t->lsq, &r->options, &r->result);
  assert_int_equal(r->result.iterations, r->t->accepted);
  assert_true(r->t->monotone);
  if (r->result.end != LOCAL_STOPPED_END)
    assert_int_equal(r->result.evaluations, r->t->evaluations);
}

static void run_free(Run *r) {
  arena_free(r->t->arena);
}

#define EACH_MODEL(m) for (int m = FILTER_MODEL_GAUSS_NEWTON; m <= FILTER_MODEL_BFGS; m++)

// ---- smooth problems

// r_i = (i + 1) (x_i - 0.3 i) + x_(i+1)/10: a long bowl.
static void bowl(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->n; i++) {
    r[i] = (i + 1) * (x[i] - 0.3 * i);
    if (i + 1 < s->n) r[i] += (x[i + 1] - 0.3 * (i + 1)) / 10;
  }
}

static void a_bowl_in_any_number_of_numbers(void **state) {
  (void)state;
  static const int SIZES[] = {1, 2, 10};
  EACH_MODEL(model)
  for (int k = 0; k < 3; k++) {
    double start[10];
    for (int i = 0; i < 10; i++) start[i] = i % 2 ? 4 : -3;
    Run *r = run_new(bowl, SIZES[k], SIZES[k], start, model);
    run_it(r);
    assert_true(local_end_converged(r->result.end));
    for (int i = 0; i < SIZES[k]; i++) assert_close(r->best->x[i], 0.3 * i, 1e-4);
    run_free(r);
  }
}

static void a_curved_valley(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  EACH_MODEL(model) {
    Run *r = run_new(rosenbrock, 2, 2, start, model);
    run_it(r);
    assert_true(local_end_converged(r->result.end));
    assert_close(r->best->x[0], 1, 1e-3);
    assert_close(r->best->x[1], 1, 2e-3);
    run_free(r);
  }
}

// Problems of the literature with residuals that stay: both models end at a known minimum.
static void known_minima_are_found(void **state) {
  (void)state;
  static const char *const NAMES[] = {"Bard", "Jennrich-Sampson", "Kowalik-Osborne", "Brown-Dennis",
                                      "Watson 6"};
  int seen = 0;
  for (int k = 0; k < LSQ_CASES; k++)
    for (size_t j = 0; j < sizeof NAMES / sizeof *NAMES; j++) {
      const LsqCase *c = &lsq_cases[k];
      if (strcmp(c->name, NAMES[j]) != 0) continue;
      EACH_MODEL(model) {
        Run *r = run_new(c->residuals, c->m, c->n, c->start, model);
        run_it(r);
        assert_int_equal(r->result.end, LOCAL_SCALES_END);
        assert_true(lsq_case_is_solved(c, r->best->objective));
        run_free(r);
        seen++;
      }
    }
  assert_int_equal(seen, 10);
}

// ---- bounds

static void a_bound_may_hold_the_solution(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  EACH_MODEL(model) {
    Run *r = run_new(rosenbrock, 2, 2, start, model);
    r->t->upper[0] = 0.5;
    run_it(r);
    assert_true(local_end_converged(r->result.end));
    assert_close(r->best->x[0], 0.5, 1e-6);
    assert_close(r->best->x[1], 0.25, 1e-4);
    run_free(r);
  }
}

// The evaluation asserts that points are inside the bounds.
static void every_corner_is_left(void **state) {
  (void)state;
  EACH_MODEL(model)
  for (int corner = 0; corner < 16; corner++) {
    double start[4];
    for (int i = 0; i < 4; i++) start[i] = corner >> i & 1 ? 9 : -9; // moved inside
    Run *r = run_new(bowl, 4, 4, start, model);
    for (int i = 0; i < 4; i++) r->t->lower[i] = -0.1, r->t->upper[i] = 2;
    run_it(r);
    for (int i = 0; i < 4; i++) assert_close(r->best->x[i], 0.3 * i, 1e-4);
    run_free(r);
  }
}

static void numbers_that_cannot_move_stay(void **state) {
  (void)state;
  const double start[] = {9, 1, 1};
  EACH_MODEL(model) {
    Run *r = run_new(bard, 15, 3, start, model);
    r->t->lower[0] = r->t->upper[0] = 0.1;
    run_it(r);
    assert_true(r->best->x[0] == 0.1);
    double found = r->best->objective;
    for (int i = 1; i < 3; i++) r->t->lower[i] = r->t->upper[i] = r->best->x[i];
    r->t->evaluations = r->t->accepted = 0;
    run_it(r);
    assert_true(local_end_converged(r->result.end));
    assert_int_equal(r->result.evaluations, 1);
    assert_true(r->best->objective == found);
    run_free(r);
  }
  Run *r = run_new(linear_rank_one, 3, 0, NULL, FILTER_MODEL_BFGS);
  run_it(r);
  assert_int_equal(r->result.evaluations, 1);
  assert_true(local_end_converged(r->result.end));
  run_free(r);
}

// A box of its own, narrower than the bounds, is the unit of the scales.
static void the_box_is_the_unit(void **state) {
  (void)state;
  const double start[] = {0.2, 0.2}, low[] = {-0.5, -0.5}, high[] = {0.5, 0.5};
  Run *r = run_new(bowl, 2, 2, start, FILTER_MODEL_BFGS);
  r->t->lsq.box_low = low, r->t->lsq.box_high = high;
  r->options.filter_first = r->options.filter_last = 0.25;
  r->options.max_iterations = 1;
  r->t->lower[0] = r->t->lower[1] = -0.06; // closer than a quarter of the box, on one side
  r->t->upper[0] = r->t->upper[1] = 0.4;   // on the other
  run_it(r);
  assert_int_equal(r->t->evaluations, 1 + 2 + 4); // the neighbours below, parts of a step
  run_free(r);
}

// ---- places without a simulation

static bool wall_beside_the_minimum(const double *x) {
  return x[0] > 0.05 || x[0] + x[1] < -1;
}

static bool wall_all_around(const double *x) {
  return hypot(x[0] - 0.02, x[1] - 0.35) > 0.1;
}

static bool wall_everywhere(const double *x) {
  (void)x;
  return true;
}

static bool wall_at_zero(const double *x) {
  return x[0] <= 0;
}

static void hidden_walls_are_lived_with(void **state) {
  (void)state;
  EACH_MODEL(model)
  for (int k = 0; k < 5; k++) {
    const double start[] = {-1 - 0.3 * k, 2.5 + 0.7 * k};
    Run *r = run_new(bowl, 2, 2, start, model);
    r->t->wall = wall_beside_the_minimum;
    run_it(r);
    assert_close(r->best->x[0], 0, 2e-3);
    assert_close(r->best->x[1], 0.3, 2e-3);
    run_free(r);
  }
}

// The first stencils have no neighbour at all.
static void an_island_is_searched(void **state) {
  (void)state;
  const double start[] = {0.06, 0.4};
  EACH_MODEL(model) {
    Run *r = run_new(bowl, 2, 2, start, model);
    r->t->wall = wall_all_around;
    run_it(r);
    assert_close(r->best->x[0], 0, 2e-3);
    assert_close(r->best->x[1], 0.3, 2e-3);
    run_free(r);
  }
}

static void a_start_without_a_simulation(void **state) {
  (void)state;
  const double start[] = {0, 2};
  EACH_MODEL(model) {
    Run *r = run_new(bowl, 2, 2, start, model);
    r->t->wall = wall_everywhere;
    run_it(r);
    assert_int_equal(r->result.end, LOCAL_NO_START_END);
    assert_true(r->best->objective == HUGE_VAL);
    r->t->wall = wall_at_zero;
    memcpy(r->best->x, start, sizeof start);
    r->t->lower[0] = 0, r->t->upper[0] = 3;
    r->t->evaluations = 0;
    run_it(r); // a little inside the bound there is one
    assert_close(r->best->x[1], 0.3, 2e-3);
    run_free(r);
  }
}

// ---- ends

static void a_stopped_search_keeps_the_best_point(void **state) {
  (void)state;
  const double start[] = {.5, 1.5, -1, .01, .02};
  EACH_MODEL(model) {
    double last = HUGE_VAL;
    for (int most = 1; most < 60; most++) {
      Run *r = run_new(osborne_1, 33, 5, start, model);
      r->t->stop_after = most;
      run_it(r);
      assert_int_equal(r->result.end, LOCAL_STOPPED_END);
      assert_int_equal(r->t->evaluations, most);
      assert_true(r->best->objective <= last);
      last = r->best->objective;
      run_free(r);
    }
    assert_true(last < HUGE_VAL);
  }
}

static void a_target_and_a_limit_of_steps(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  EACH_MODEL(model) {
    Run *r = run_new(bard, 15, 3, start, model);
    r->options.target = 1;
    run_it(r);
    assert_int_equal(r->result.end, LOCAL_TARGET_END);
    assert_true(r->best->objective <= 1);
    run_free(r);
    r = run_new(bard, 15, 3, start, model);
    r->options.max_iterations = 3;
    run_it(r);
    assert_int_equal(r->result.end, LOCAL_ITERATIONS_END);
    assert_int_equal(r->result.iterations, 3);
    run_free(r);
  }
}

static void nothing(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)x;
  for (int i = 0; i < s->m; i++) r[i] = 1;
}

static void a_plain_has_no_way_down(void **state) {
  (void)state;
  const double start[] = {1, 1};
  EACH_MODEL(model) {
    Run *r = run_new(nothing, 3, 2, start, model);
    run_it(r);
    assert_int_equal(r->result.end, LOCAL_SCALES_END);
    assert_int_equal(r->result.iterations, 0);
    assert_true(r->result.evaluations <= 1 + 4); // no smaller stencil sees more
    run_free(r);
  }
}

// ---- noise

// Residuals of a bowl in two numbers with noise that is different at any two points, however close.
typedef struct Noisy {
  Lsq lsq;
  double size, step; // of the noise, of forward differences
  double ripple;     // waves of this height
  bool backwards;    // the order in which many values are computed
} Noisy;

enum { NOISY_ROWS = 40 };
static const double NOISY_BEST[] = {0.7, -0.4};

static double hash_of(const double *x, int row) { // in [-1, 1)
  uint64_t h = (uint64_t)row + 1, bits;
  for (int i = 0; i < 2; i++) {
    memcpy(&bits, &x[i], sizeof bits);
    h = (h ^ bits) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  }
  h *= 0xbf58476d1ce4e5b9ULL;
  return (double)(h >> 11) * 0x1p-52 - 1;
}

static LsqEnd noisy_residuals(void *self, const double *x, double *r, double *J) {
  const Noisy *s = self;
  for (int k = 0; k < NOISY_ROWS; k++) {
    double t = k / 39.0, a = x[0] - NOISY_BEST[0], b = x[1] - NOISY_BEST[1];
    r[k] = a * exp(-t) + b * t * (1 + a) + s->size * hash_of(x, k) +
           s->ripple * sin(40 * a + 30 * b + k);
  }
  for (int i = 0; J && i < 2; i++) {
    double y[] = {x[0], x[1]}, *to = J + (ptrdiff_t)i * NOISY_ROWS;
    y[i] += x[i] + s->step <= s->lsq.upper[i] ? s->step : -s->step;
    noisy_residuals(self, y, to, NULL);
    for (int k = 0; k < NOISY_ROWS; k++) to[k] = (to[k] - r[k]) / (y[i] - x[i]);
  }
  return LSQ_DONE;
}

static LsqEnd noisy_eval(void *self, LsqPoint *out, double worth, bool slopes) {
  double r[NOISY_ROWS], J[2 * NOISY_ROWS], *column[] = {J, J + NOISY_ROWS, r};
  (void)worth;
  noisy_residuals(self, out->x, r, slopes ? J : NULL);
  out->objective = 0;
  for (int k = 0; k < NOISY_ROWS; k++) out->objective += r[k] * r[k] / 2;
  out->has_slopes = slopes;
  if (!slopes) return LSQ_DONE;
  Arena *a = arena_new();
  QrSum *q = qr_sum_new(a, 2);
  qr_sum_add(q, column, NOISY_ROWS);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) out->R[2 * i + j] = j < i ? 0 : q->R[3 * i + j];
    out->Qr[i] = q->R[3 * i + 2];
  }
  arena_free(a);
  return LSQ_DONE;
}

static LsqEnd noisy_values(void *self, const double *x, int count, double *V) {
  for (int k = 0; k < count; k++) {
    int at = ((Noisy *)self)->backwards ? count - 1 - k : k;
    LsqPoint p = {.x = (double *)x + 2 * (ptrdiff_t)at};
    noisy_eval(self, &p, HUGE_VAL, false);
    V[at] = p.objective;
  }
  return LSQ_DONE;
}

static double noisy_distance(const Noisy *n, LocalMethod *method, int model, const double *start,
                             LsqPoint *at) {
  LocalOptions options = lsq_test_options();
  options.filter_model = model;
  LocalResult result = {.best = at};
  memcpy(at->x, start, 2 * sizeof *start);
  method(&n->lsq, &options, &result);
  return hypot(at->x[0] - NOISY_BEST[0], at->x[1] - NOISY_BEST[1]);
}

static const double NOISY_LOW[] = {-2, -2}, NOISY_HIGH[] = {2, 2}, NOISY_TYPICAL[] = {1, 1};

static void noisy_init(Noisy *n) {
  n->lsq = (Lsq){.n = 2,
                 .lower = NOISY_LOW,
                 .upper = NOISY_HIGH,
                 .box_low = NOISY_LOW,
                 .box_high = NOISY_HIGH,
                 .typical = NOISY_TYPICAL,
                 .self = n,
                 .eval = noisy_eval,
                 .values = noisy_values,
                 .rows = NOISY_ROWS,
                 .residuals = noisy_residuals};
}

// From all over the box implicit filtering ends beside the minimum, at a lower objective than Levenberg-Marquardt with
// forward differences, whose slopes are nothing but noise.
static void noise_is_filtered(void **state) {
  (void)state;
  Arena *a = arena_new();
  LsqPoint *by_filter = lsq_point_new(a, 2), *by_lm = lsq_point_new(a, 2);
  Noisy n = {.size = 1e-3, .step = 1e-4};
  noisy_init(&n);
  int far = 0, count = 0;
  EACH_MODEL(model)
  for (int k = 0; k < 25; k++) {
    const double start[] = {-1.8 + 0.9 * (k % 5), -1.7 + 0.85 * (int)(k / 5)};
    assert_true(noisy_distance(&n, local_implicit_filtering, model, start, by_filter) < 0.02);
    far += noisy_distance(&n, local_lm, model, start, by_lm) > 0.1;
    assert_true(by_filter->objective < by_lm->objective * (1 + 0.02));
    count++;
  }
  assert_true(3 * far > 2 * count);
  arena_free(a);
}

// Waves with hundreds of minima, and exact enough slopes for Levenberg-Marquardt: it takes the nearest of them.
static void small_valleys_are_overlooked(void **state) {
  (void)state;
  Arena *a = arena_new();
  LsqPoint *by_filter = lsq_point_new(a, 2), *by_lm = lsq_point_new(a, 2);
  Noisy n = {.ripple = 0.1, .step = 1e-7};
  noisy_init(&n);
  int caught = 0;
  for (int k = 0; k < 25; k++) {
    const double start[] = {-1.8 + 0.9 * (k % 5), -1.7 + 0.85 * (int)(k / 5)};
    EACH_MODEL(model)
    assert_true(noisy_distance(&n, local_implicit_filtering, model, start, by_filter) < 0.2);
    caught += noisy_distance(&n, local_lm, 0, start, by_lm) > 0.2;
  }
  assert_true(caught >= 5);
  arena_free(a);
}

static void the_order_of_values_does_not_matter(void **state) {
  (void)state;
  const double start[] = {1.3, 1.9};
  Arena *a = arena_new();
  LsqPoint *forwards = lsq_point_new(a, 2), *backwards = lsq_point_new(a, 2);
  Noisy n = {.size = 1e-3};
  noisy_init(&n);
  noisy_distance(&n, local_implicit_filtering, FILTER_MODEL_BFGS, start, forwards);
  n.backwards = true;
  noisy_distance(&n, local_implicit_filtering, FILTER_MODEL_BFGS, start, backwards);
  assert_true(forwards->objective == backwards->objective);
  assert_memory_equal(forwards->x, backwards->x, 2 * sizeof *forwards->x);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bowl_in_any_number_of_numbers),
      cmocka_unit_test(a_curved_valley),
      cmocka_unit_test(known_minima_are_found),
      cmocka_unit_test(a_bound_may_hold_the_solution),
      cmocka_unit_test(every_corner_is_left),
      cmocka_unit_test(numbers_that_cannot_move_stay),
      cmocka_unit_test(the_box_is_the_unit),
      cmocka_unit_test(hidden_walls_are_lived_with),
      cmocka_unit_test(an_island_is_searched),
      cmocka_unit_test(a_start_without_a_simulation),
      cmocka_unit_test(a_stopped_search_keeps_the_best_point),
      cmocka_unit_test(a_target_and_a_limit_of_steps),
      cmocka_unit_test(a_plain_has_no_way_down),
      cmocka_unit_test(noise_is_filtered),
      cmocka_unit_test(small_valleys_are_overlooked),
      cmocka_unit_test(the_order_of_values_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
