#include "local/sqp_model.h"
#include "lsq_problems.h"
#include "test.h"

static const struct {
  const char *name;
  LocalMethod *run;
  double tolerance; // of what it finds of a parabola
  bool slopes, constraints;
} METHODS[] = {
    {"nelder-mead", local_nelder_mead, 1e-6, false, false},
    {"bobyqa", local_bobyqa, 1e-6, false, false},
    {"cobyla", local_cobyla, 1e-5, false, true},
    {"slsqp", local_slsqp, 1e-6, true, true},
};
enum { METHODS_COUNT = sizeof METHODS / sizeof *METHODS };

#define EACH_METHOD(k) for (int k = 0; k < METHODS_COUNT; k++)

typedef struct Run {
  LsqTest *t;
  LsqPoint *best;
  LocalResult result;
  LocalOptions options;
} Run;

static Run *run_new(LsqResiduals *residuals, int m, int n, const double *start) {
  LsqTest *t = lsq_test_new(residuals, m, n);
  Run *r = ARENA_NEW(t->arena, Run);
  *r = (Run){.t = t, .options = lsq_test_options()};
  r->best = r->result.best = lsq_point_new(t->arena, n);
  for (int i = 0; i < n; i++) {
    r->best->x[i] = start[i];
    if (start[i] != 0) t->typical[i] = fabs(start[i]);
  }
  return r;
}

static void run_it(Run *r, int k) {
  METHODS[k].run(&r->t->lsq, &r->options, &r->result);
  assert_int_equal(r->result.iterations, r->t->accepted);
  assert_int_equal(r->result.evaluations, r->t->evaluations + (r->result.end == LOCAL_STOPPED_END));
}

static void run_free(Run *r) {
  arena_free(r->t->arena);
}

static void bowl(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->n; i++) {
    r[i] = (i + 1) * (x[i] - 0.3 * i);
    if (i + 1 < s->n) r[i] += (x[i + 1] - 0.3 * (i + 1)) / 10;
  }
}

static void a_bowl_in_any_number_of_numbers(void **state) {
  (void)state;
  static const int SIZES[] = {1, 2, 6};
  EACH_METHOD(k)
  for (int j = 0; j < 3; j++) {
    double start[6];
    for (int i = 0; i < 6; i++) start[i] = i % 2 ? 2 : -1;
    Run *r = run_new(bowl, SIZES[j], SIZES[j], start);
    r->options.max_iterations = 10000;
    run_it(r, k);
    assert_true(local_end_converged(r->result.end));
    assert_true(r->t->monotone);
    assert_true(r->best->has_slopes == METHODS[k].slopes);
    for (int i = 0; i < SIZES[j]; i++)
      assert_close(r->best->x[i], 0.3 * i, 100 * METHODS[k].tolerance);
    run_free(r);
  }
}

static void known_minima_are_found(void **state) {
  (void)state;
  static const char *const NAMES[] = {"Bard", "Jennrich-Sampson", "Kowalik-Osborne", "Osborne 1",
                                      "Rosenbrock"};
  int solved = 0;
  for (int c = 0; c < LSQ_CASES; c++)
    for (size_t j = 0; j < sizeof NAMES / sizeof *NAMES; j++) {
      const LsqCase *what = &lsq_cases[c];
      if (strcmp(what->name, NAMES[j]) != 0) continue;
      EACH_METHOD(k) {
        if (METHODS[k].run == local_cobyla) continue; // linear models creep along valleys
        Run *r = run_new(what->residuals, what->m, what->n, what->start);
        run_it(r, k);
        assert_true(local_end_converged(r->result.end));
        assert_true(lsq_case_is_solved(what, r->best->objective));
        solved++;
        run_free(r);
      }
    }
  assert_int_equal(solved, 15);
}

// The same numbers in other units take the same steps.
// A start far below the size of an unknown, as at a tiny lower bound.
static void slsqp_finds_the_size_of_unknowns_by_their_slopes(void **state) {
  (void)state;
  static const double START[] = {1, 1, 1};
  static const double TYPICAL[] = {1e-13, 1, 1e6};
  int before = 0;
  for (int k = 0; k < 3; k++) {
    Run *r = run_new(bard, 15, 3, START);
    for (int i = 0; i < 3; i++) r->t->typical[i] = TYPICAL[(i + k) % 3];
    run_it(r, METHODS_COUNT - 1);
    assert_close_relative(2 * r->best->objective, 8.21487e-3, 1e-5);
    if (k) assert_int_equal(r->result.evaluations, before);
    before = r->result.evaluations;
    run_free(r);
  }
}

static void units_do_not_matter(void **state) {
  (void)state;
  const double start[] = {1, 1, 1}, unit[] = {1024, 1.0 / 4096, 2}; // powers of 2: no rounding
  EACH_METHOD(k) {
    Run *plain = run_new(bard, 15, 3, start), *scaled = run_new(bard, 15, 3, start);
    for (int i = 0; i < 3; i++) {
      scaled->best->x[i] = start[i] / unit[i];
      scaled->t->typical[i] = 1 / unit[i];
    }
    scaled->t->unit = unit;
    plain->options.max_iterations = scaled->options.max_iterations = 100;
    run_it(plain, k);
    run_it(scaled, k);
    assert_int_equal(plain->result.evaluations, scaled->result.evaluations);
    assert_close_relative(scaled->best->objective, plain->best->objective, 1e-12);
    run_free(plain);
    run_free(scaled);
  }
}

// ---- bounds; the evaluation asserts that no point is outside

static void a_bound_may_hold_the_solution(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  EACH_METHOD(k) {
    Run *r = run_new(rosenbrock, 2, 2, start);
    r->t->upper[0] = 0.5;
    r->options.max_iterations = 10000;
    run_it(r, k);
    assert_true(local_end_converged(r->result.end));
    assert_close(r->best->x[0], 0.5, 1e-6);
    assert_close(r->best->x[1], 0.25, 1e-3);
    run_free(r);
  }
}

static void every_corner_is_left(void **state) {
  (void)state;
  EACH_METHOD(k)
  for (int corner = 0; corner < 8; corner++) {
    double start[3];
    for (int i = 0; i < 3; i++) start[i] = corner >> i & 1 ? 9 : -9; // moved inside
    Run *r = run_new(bowl, 3, 3, start);
    for (int i = 0; i < 3; i++) r->t->lower[i] = -0.11, r->t->upper[i] = 2;
    run_it(r, k);
    for (int i = 0; i < 3; i++) assert_close(r->best->x[i], 0.3 * i, 1e-3);
    run_free(r);
  }
}

static void numbers_that_cannot_move_stay(void **state) {
  (void)state;
  const double start[] = {9, 1, 1};
  EACH_METHOD(k) {
    Run *r = run_new(bard, 15, 3, start);
    r->t->lower[0] = r->t->upper[0] = 0.1;
    run_it(r, k);
    assert_true(r->best->x[0] == 0.1);
    double found = r->best->objective;
    for (int i = 1; i < 3; i++) r->t->lower[i] = r->t->upper[i] = r->best->x[i];
    r->t->evaluations = r->t->accepted = 0;
    run_it(r, k);
    assert_true(local_end_converged(r->result.end));
    assert_int_equal(r->result.evaluations, 1);
    assert_true(r->best->objective == found);
    run_free(r);
    r = run_new(linear_rank_one, 3, 0, NULL);
    run_it(r, k);
    assert_true(local_end_converged(r->result.end));
    assert_int_equal(r->result.evaluations, 1);
    run_free(r);
  }
}

// ---- places without a simulation

static bool wall_beside_the_minimum(const double *x) {
  return x[0] > 0.5 || x[0] + x[1] < -2;
}

static bool wall_everywhere(const double *x) {
  (void)x;
  return true;
}

static bool wall_at_zero(const double *x) {
  return x[0] <= 0;
}

static void walls_are_lived_with(void **state) {
  (void)state;
  EACH_METHOD(k)
  for (int j = 0; j < 6; j++) {
    const double start[] = {-1 - 0.3 * j, 2.5 + 0.7 * j};
    Run *r = run_new(bowl, 2, 2, start);
    r->t->wall = wall_beside_the_minimum;
    run_it(r, k);
    assert_close(r->best->x[0], 0, 1e-3);
    assert_close(r->best->x[1], 0.3, 1e-3);
    run_free(r);
  }
}

static void a_start_without_a_simulation(void **state) {
  (void)state;
  const double start[] = {0, 2};
  EACH_METHOD(k) {
    Run *r = run_new(bowl, 2, 2, start);
    r->t->wall = wall_everywhere;
    run_it(r, k);
    assert_int_equal(r->result.end, LOCAL_NO_START_END);
    assert_true(r->best->objective == HUGE_VAL);
    r->t->wall = wall_at_zero;
    memcpy(r->best->x, start, sizeof start);
    r->t->lower[0] = 0, r->t->upper[0] = 3;
    r->t->evaluations = r->t->accepted = 0;
    run_it(r, k); // a little inside the bound there is one
    assert_true(local_end_converged(r->result.end));
    assert_close(r->best->x[1], 0.3, 2e-2);
    run_free(r);
  }
}

// ---- ends

static void a_stopped_search_keeps_the_best_point(void **state) {
  (void)state;
  const double start[] = {.5, 1.5, -1, .01, .02};
  EACH_METHOD(k) {
    double last = HUGE_VAL;
    for (int most = 1; most < 40; most++) {
      Run *r = run_new(osborne_1, 33, 5, start);
      r->t->stop_after = most;
      run_it(r, k);
      assert_int_equal(r->result.end, LOCAL_STOPPED_END);
      assert_int_equal(r->t->evaluations, most);
      assert_true(r->best->objective <= last && r->best->objective < HUGE_VAL);
      if (r->result.iterations) assert_true(r->best->objective == r->t->last);
      last = r->best->objective;
      run_free(r);
    }
  }
}

static void a_target_and_a_limit_of_steps(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  EACH_METHOD(k) {
    Run *r = run_new(bard, 15, 3, start);
    r->options.target = 1;
    run_it(r, k);
    assert_int_equal(r->result.end, LOCAL_TARGET_END);
    assert_true(r->best->objective <= 1);
    r->t->evaluations = r->t->accepted = 0;
    run_it(r, k); // already there
    assert_int_equal(r->result.evaluations, 1);
    run_free(r);
    r = run_new(bard, 15, 3, start);
    r->options.max_iterations = 2;
    run_it(r, k);
    assert_int_equal(r->result.end, LOCAL_ITERATIONS_END);
    assert_int_equal(r->result.iterations, METHODS[k].slopes ? 2 : 2 * 3); // times the numbers
    run_free(r);
  }
}

// ---- constraints

// On the circle x0^2 + x1^2 = 2 with x0 >= x1 + 1/2, as near as possible to (0, 3): x0 = x1 + 1/2.
static void far_away(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0];
  r[1] = x[1] - 3;
}

static void circle_and_line(void *self, const double *x, double *c, double *C) {
  (void)self;
  c[0] = x[0] * x[0] + x[1] * x[1] - 2;
  c[1] = x[0] - x[1] - 0.5;
  if (!C) return;
  C[0] = 2 * x[0], C[1] = 2 * x[1];
  C[2] = 1, C[3] = -1;
}

static void constraints_are_kept(void **state) {
  (void)state;
  const double starts[][2] = {{1, 1}, {1.4, -0.2}, {3, 0.5}};
  double low = (-0.5 + sqrt(4 - 0.25)) / 2; // x1 of 2 x1^2 + x1 + 1/4 = 2
  EACH_METHOD(k)
  for (int j = 0; METHODS[k].constraints && j < 3; j++) {
    Run *r = run_new(far_away, 2, 2, starts[j]);
    r->t->lsq.constraints = circle_and_line;
    r->t->lsq.equalities = r->t->lsq.inequalities = 1;
    r->options.max_iterations = 10000;
    run_it(r, k);
    assert_true(local_end_converged(r->result.end));
    assert_close(r->best->x[0], low + 0.5, 1e-5);
    assert_close(r->best->x[1], low, 1e-5);
    run_free(r);
  }
}

// The circle four times: the second has slopes of its own where it does not hold, the last is an inequality.
static void circles(void *self, const double *x, double *c, double *C) {
  (void)self;
  double by = x[0] * x[0] + x[1] * x[1] - 2, more = 1 + x[0] * x[0];
  c[0] = by, c[1] = by * more, c[2] = 1e3 * by, c[3] = -by;
  for (int i = 0; i < 2 && C; i++) {
    double slope = 2 * x[i];
    C[i] = slope, C[2 + i] = slope * more + (i == 0 ? 2 * x[0] * by : 0);
    C[4 + i] = 1e3 * slope, C[6 + i] = -slope;
  }
}

static void hyperbolas(void *self, const double *x, double *c, double *C) {
  (void)self;
  double by = x[0] * x[1];
  c[0] = by - 1.5, c[1] = by * by - 2.25, c[2] = 3 * c[0], c[3] = -c[0];
  for (int i = 0; i < 2 && C; i++) {
    double slope = x[1 - i];
    C[i] = slope, C[2 + i] = 2 * by * slope, C[4 + i] = 3 * slope, C[6 + i] = -slope;
  }
}

static void lines(void *self, const double *x, double *c, double *C) {
  (void)self;
  double by = x[0] + x[1] - 2.5;
  c[0] = by, c[1] = 2 * by, c[2] = -by, c[3] = by;
  for (int i = 0; i < 2 && C; i++) C[i] = 1, C[2 + i] = 2, C[4 + i] = -1, C[6 + i] = 1;
}

// One curve, said four times, and the point of it that is nearest to (0, 3).
static void constraints_may_say_the_same(void **state) {
  (void)state;
  static const struct {
    void (*constraints)(void *self, const double *x, double *c, double *C);
    double nearest[2];
  } CURVES[] = {{circles, {0, 1.4142135623730951}},
                {hyperbolas, {0.4874535611, 3.0772162104}}, // x0^4 - 2.25 + 4.5 x0 = 0
                {lines, {-0.25, 2.75}}};
  const double starts[][2] = {{0.5, 1}, {1.4, 0.2}, {3, 0.5}};
  EACH_METHOD(k)
  for (int j = 0; METHODS[k].constraints && j < 9; j++) {
    Run *r = run_new(far_away, 2, 2, starts[j % 3]);
    r->t->lsq.constraints = CURVES[j / 3].constraints;
    r->t->lsq.equalities = 3, r->t->lsq.inequalities = 1;
    r->options.max_iterations = 10000;
    run_it(r, k);
    assert_true(local_end_converged(r->result.end));
    for (int i = 0; i < 2; i++) assert_close(r->best->x[i], CURVES[j / 3].nearest[i], 1e-3);
    run_free(r);
  }
}

// Two axes, x2 = 0 and x0*x1 = 0. Where they meet, the slopes are dependent, and only there.
static void three_numbers(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 1, r[1] = x[1] - 0.5, r[2] = x[2] + 1;
}

static void axes(void *self, const double *x, double *c, double *C) {
  (void)self;
  c[0] = x[2], c[1] = x[2] - x[0] * x[1];
  if (!C) return;
  C[0] = C[1] = 0, C[2] = 1;
  C[3] = -x[1], C[4] = -x[0], C[5] = 1;
}

// Whatever happens, "converged" is said only of a point that no step leaves for a better one.
static void what_is_not_stationary_has_not_converged(void **state) {
  (void)state;
  const double starts[][3] = {{0, 0, 0}, {0, 0, 1}, {0.3, 0.1, 0}, {0, -2, 0}, {-1, -1, 2}};
  EACH_METHOD(k)
  for (int j = 0; METHODS[k].constraints && j < 5; j++) {
    Run *r = run_new(three_numbers, 3, 3, starts[j]);
    r->t->lsq.constraints = axes;
    r->t->lsq.equalities = 2;
    r->options.max_iterations = 10000;
    run_it(r, k);
    if (local_end_converged(r->result.end)) {
      const double *x = r->best->x;
      assert_close(x[2], 0, 1e-6);
      bool first = fabs(x[0] - 1) < 1e-3 && fabs(x[1]) < 1e-5;
      bool second = fabs(x[1] - 0.5) < 1e-3 && fabs(x[0]) < 1e-5;
      assert_true(first || second);
    } else {
      assert_true(j < 2); // the others do not begin where the axes meet
    }
    run_free(r);
  }
}

static void a_step_promises_nothing_at_the_optimum(void **state) {
  (void)state;
  const double points[][2] = {{1, 1}, {0, 1.4142135623730951}, {-1, 1}};
  for (int j = 0; j < 3; j++) {
    Run *r = run_new(far_away, 2, 2, points[j]);
    r->t->lsq.constraints = circles;
    r->t->lsq.equalities = 3, r->t->lsq.inequalities = 1;
    assert_int_equal(r->t->lsq.eval(r->t->lsq.self, r->best, HUGE_VAL, true), LSQ_DONE);
    double gain = sqp_promise(&r->t->lsq, r->best, 1e-3);
    if (j == 1)
      assert_true(gain == 0);
    else
      assert_true(gain > 0.1);
    run_free(r);
  }
}

static void contradiction(void *self, const double *x, double *c, double *C) {
  (void)self;
  c[0] = x[0] - 2;
  c[1] = 1 - x[0];
  if (C) C[0] = 1, C[1] = 0, C[2] = -1, C[3] = 0;
}

static void constraints_that_nothing_satisfies_are_said(void **state) {
  (void)state;
  const double start[] = {1, 1};
  EACH_METHOD(k) {
    if (!METHODS[k].constraints) continue;
    Run *r = run_new(far_away, 2, 2, start);
    r->t->lsq.constraints = contradiction;
    r->t->lsq.inequalities = 2;
    run_it(r, k);
    assert_false(local_end_converged(r->result.end));
    assert_int_equal(r->result.end, LOCAL_INFEASIBLE_END);
    run_free(r);
  }
}

// Searched by z with x = min + (max - min)(1 + sin z)/2: inside the bounds, on one of them, and from one of them.
static void a_simplex_may_turn_instead_of_stopping_at_bounds(void **state) {
  (void)state;
  static const double STARTS[][2] = {{-1.2, 1}, {2, -1}, {-2, 3}};
  for (int inside = 0; inside < 2; inside++)
    for (int k = 0; k < 3; k++) {
      Run *r = run_new(rosenbrock, 2, 2, STARTS[k]);
      r->t->lower[0] = -2, r->t->upper[0] = inside ? 3 : 0.5;
      r->t->lower[1] = -1, r->t->upper[1] = 3;
      if (!inside && STARTS[k][0] > 0.5) r->best->x[0] = 0.5;
      r->options.simplex_bounds = SIMPLEX_BOUNDS_SINE;
      r->options.simplex_restarts = 2;
      r->options.max_iterations = 10000;
      run_it(r, 0);
      assert_true(local_end_converged(r->result.end));
      assert_close(r->best->x[0], inside ? 1 : 0.5, 1e-5);
      assert_close(r->best->x[1], inside ? 1 : 0.25, 1e-4);
      run_free(r);
    }
}

static void restarts_go_on_from_the_best_point(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  int evaluations[2];
  double V[2];
  for (int k = 0; k < 2; k++) {
    Run *r = run_new(rosenbrock, 2, 2, start);
    r->options.simplex_restarts = 3 * k;
    r->options.max_iterations = 10000;
    run_it(r, 0);
    evaluations[k] = (int)r->result.evaluations, V[k] = r->best->objective;
    run_free(r);
  }
  assert_true(evaluations[1] > evaluations[0]);
  assert_true(V[1] <= V[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bowl_in_any_number_of_numbers),
      cmocka_unit_test(known_minima_are_found),
      cmocka_unit_test(slsqp_finds_the_size_of_unknowns_by_their_slopes),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(a_bound_may_hold_the_solution),
      cmocka_unit_test(every_corner_is_left),
      cmocka_unit_test(numbers_that_cannot_move_stay),
      cmocka_unit_test(walls_are_lived_with),
      cmocka_unit_test(a_start_without_a_simulation),
      cmocka_unit_test(a_stopped_search_keeps_the_best_point),
      cmocka_unit_test(a_target_and_a_limit_of_steps),
      cmocka_unit_test(constraints_are_kept),
      cmocka_unit_test(constraints_may_say_the_same),
      cmocka_unit_test(what_is_not_stationary_has_not_converged),
      cmocka_unit_test(a_step_promises_nothing_at_the_optimum),
      cmocka_unit_test(constraints_that_nothing_satisfies_are_said),
      cmocka_unit_test(a_simplex_may_turn_instead_of_stopping_at_bounds),
      cmocka_unit_test(restarts_go_on_from_the_best_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
