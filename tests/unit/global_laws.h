// Laws that every global method keeps. A test program sets `method` and adds GLOBAL_LAWS to its list.
#pragma once
#include <stdbool.h>
#include <string.h>

#include "estimate/lsq.h"
#include "test.h"

enum { NUMBERS_MOST = 8 };

static LocalMethod *method;

typedef double Landscape(const double *x, int n);

typedef struct Trial {
  Lsq lsq;
  Landscape *landscape;
  double lower[NUMBERS_MOST], upper[NUMBERS_MOST], typical[NUMBERS_MOST];
  double box_low[NUMBERS_MOST], box_high[NUMBERS_MOST];
  double unit[NUMBERS_MOST]; // of the numbers
  double size;               // of the objective
  int calls, points, stop_after;
  bool (*wall)(const double *x); // true: the simulation fails there
  double lowest, lowest_x[NUMBERS_MOST];
  int accepted;
  double last;
  double trace; // a sum over all points: equal for equal paths
  Arena *arena;
  FitOptions fit;
  LocalOptions options;
  LocalResult result;
} Trial;

static double value_of(Trial *t, const double *x) {
  double real[NUMBERS_MOST] = {0};
  for (int i = 0; i < t->lsq.n; i++) { // written so that NaN fails
    assert_true(x[i] >= t->lower[i] && x[i] <= t->upper[i]);
    real[i] = x[i] / t->unit[i];
    t->trace += real[i] * (1 + t->points % 7);
  }
  if (t->wall && t->wall(real)) return HUGE_VAL;
  double V = t->size * t->landscape(real, t->lsq.n);
  if (V < t->lowest) {
    t->lowest = V;
    memcpy(t->lowest_x, x, (size_t)t->lsq.n * sizeof *x);
  }
  return V;
}

static LsqEnd trial_values(void *self, const double *x, int count, double *V) {
  Trial *t = self;
  t->calls++;
  for (int k = 0; k < count; k++) {
    V[k] = HUGE_VAL;
    if (t->stop_after && t->points >= t->stop_after) return LSQ_STOP;
    V[k] = value_of(t, x + (size_t)k * (size_t)t->lsq.n);
    t->points++;
  }
  return LSQ_DONE;
}

static void trial_accepted(void *self, const LsqPoint *p, int iteration) {
  Trial *t = self;
  assert_int_equal(iteration, t->accepted + 1);
  assert_true(p->objective <= t->last);
  assert_false(p->has_slopes);
  t->accepted = iteration;
  t->last = p->objective;
}

// Bounds and box -5 ... 5.
static Trial *trial_new(Landscape *landscape, int n, double start) {
  Arena *a = arena_new();
  Trial *t = ARENA_NEW(a, Trial);
  t->arena = a;
  t->landscape = landscape;
  t->size = 1;
  for (int i = 0; i < NUMBERS_MOST; i++) {
    t->lower[i] = t->box_low[i] = -5;
    t->upper[i] = t->box_high[i] = 5;
    t->typical[i] = t->unit[i] = 1;
  }
  t->lsq = (Lsq){.n = n,
                 .lower = t->lower,
                 .upper = t->upper,
                 .typical = t->typical,
                 .box_low = t->box_low,
                 .box_high = t->box_high,
                 .self = t,
                 .values = trial_values,
                 .accepted = trial_accepted};
  fit_options_init(&t->fit);
  t->options = (LocalOptions){.step_tol = 1e-8, .target = -1, .fit = &t->fit};
  t->result.best = lsq_point_new(a, n);
  for (int i = 0; i < n; i++) t->result.best->x[i] = start;
  return t;
}

static void trial_run(Trial *t) {
  t->calls = t->points = t->accepted = 0;
  t->trace = 0;
  t->last = t->lowest = HUGE_VAL;
  method(&t->lsq, &t->options, &t->result);
  LocalResult *r = &t->result;
  assert_true(r->best->objective == t->lowest);
  if (t->lowest < HUGE_VAL)
    assert_true(memcmp(r->best->x, t->lowest_x, (size_t)t->lsq.n * sizeof(double)) == 0);
  assert_int_equal(r->iterations, t->accepted);
  if (r->end != LOCAL_STOPPED_END) assert_int_equal(r->evaluations, t->points);
}

static void trial_free(Trial *t) {
  arena_free(t->arena);
}

// ---- landscapes

static double sphere(const double *x, int n) {
  double sum = 0.25;
  for (int i = 0; i < n; i++) sum += pow(x[i] - 0.3 * (i + 1), 2);
  return sum;
}

static double exact_sphere(const double *x, int n) {
  return sphere(x, n) - 0.25;
}

// Narrow: axes differ by a factor of 1000, and lie across the numbers.
static double cigar(const double *x, int n) {
  double along = 0, sum = 1;
  for (int i = 0; i < n; i++) along += (x[i] - 1) / sqrt(n);
  for (int i = 0; i < n; i++) sum += pow(x[i] - 1 - along / sqrt(n), 2);
  return sum + 1e-6 * along * along;
}

static double valley(const double *x, int n) { // Rosenbrock
  double sum = 0;
  for (int i = 0; i + 1 < n; i++)
    sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  return sum;
}

// Rastrigin, 10 for the best of about 100 optima in each pair of numbers.
static double hills(const double *x, int n) {
  double sum = 10;
  for (int i = 0; i < n; i++) {
    double d = x[i] - 0.7;
    sum += d * d + 10 - 10 * cos(2 * M_PI * d);
  }
  return sum;
}

// ---- laws

static void assert_at_sphere(const Trial *t, double tol) {
  for (int i = 0; i < t->lsq.n; i++) assert_close(t->result.best->x[i], 0.3 * (i + 1), tol);
}

static void a_sphere_is_found(void **state) {
  (void)state;
  for (int n = 1; n <= 4; n++) {
    Trial *t = trial_new(sphere, n, -4);
    trial_run(t);
    assert_true(local_end_converged(t->result.end));
    assert_at_sphere(t, 0.02);
    trial_free(t);
  }
}

static void a_curved_valley_is_followed(void **state) {
  (void)state;
  Trial *t = trial_new(valley, 2, -4);
  t->fit.generations = 2000;
  t->fit.stall = 500;
  trial_run(t);
  assert_true(t->result.best->objective < 1e-3);
  trial_free(t);
}

static void the_best_of_many_optima_is_found(void **state) {
  (void)state;
  int found = 0;
  for (int seed = 1; seed <= 5; seed++) {
    Trial *t = trial_new(hills, 2, 4.5);
    t->fit.seed = seed;
    t->fit.population = 60;
    trial_run(t);
    found += t->result.best->objective < 10.1;
    trial_free(t);
  }
  assert_true(found >= 4);
}

static void bounds_may_hold_the_solution(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, 5);
  t->lower[1] = t->box_low[1] = 1;
  t->upper[0] = t->box_high[0] = -2;
  trial_run(t);
  assert_close(t->result.best->x[0], -2, 0.02);
  assert_close(t->result.best->x[1], 1, 0.02);
  trial_free(t);
}

static void numbers_with_equal_bounds_stay(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, -4);
  t->lower[1] = t->upper[1] = t->box_low[1] = t->box_high[1] = 2;
  trial_run(t);
  const double *x = t->result.best->x;
  assert_true(x[1] == 2);
  assert_close(x[0], 0.3, 0.02);
  assert_close(x[2], 0.9, 0.02);
  for (int i = 0; i < 3; i++) {
    t->lower[i] = t->upper[i] = t->box_low[i] = t->box_high[i] = x[i];
  }
  trial_run(t);
  assert_true(local_end_converged(t->result.end));
  assert_int_equal(t->result.evaluations, 1);
  trial_free(t);
}

static void nothing_to_find_takes_one_evaluation(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 0, 0);
  trial_run(t);
  assert_true(local_end_converged(t->result.end));
  assert_int_equal(t->result.evaluations, 1);
  assert_true(t->result.best->objective == 0.25);
  trial_free(t);
}

// Numbers without bounds may be found outside the box that the first points are drawn from.
static void a_box_is_no_bound(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, -3);
  for (int i = 0; i < 2; i++) {
    t->lower[i] = -HUGE_VAL;
    t->upper[i] = i == 0 ? HUGE_VAL : 100;
    t->box_low[i] = -4;
    t->box_high[i] = -2;
  }
  t->fit.stall = 100;
  trial_run(t);
  assert_at_sphere(t, 0.05);
  trial_free(t);
}

static void the_seed_decides_everything(void **state) {
  (void)state;
  double trace[3];
  for (int k = 0; k < 3; k++) {
    Trial *t = trial_new(hills, 3, 4.5);
    t->fit.seed = k == 2 ? 8 : 7;
    t->fit.generations = 20;
    trial_run(t);
    trace[k] = t->trace;
    trial_free(t);
  }
  assert_true(trace[0] == trace[1] && trace[0] != trace[2]);
}

// Powers of two, so that nothing is rounded differently.
static void units_do_not_matter(void **state) {
  (void)state;
  const double units[NUMBERS_MOST] = {0x1p-30, 1, 0x1p20};
  Trial *plain = trial_new(valley, 3, -4), *scaled = trial_new(valley, 3, -4);
  for (int i = 0; i < 3; i++) {
    double *scale[] = {&scaled->lower[i],    &scaled->upper[i],   &scaled->box_low[i],
                       &scaled->box_high[i], &scaled->typical[i], &scaled->unit[i],
                       &scaled->result.best->x[i]};
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) *scale[k] *= units[i];
  }
  scaled->size = 0x1p-40;
  plain->fit.generations = scaled->fit.generations = 60;
  trial_run(plain);
  trial_run(scaled);
  assert_int_equal(plain->points, scaled->points);
  assert_true(plain->trace == scaled->trace);
  trial_free(plain);
  trial_free(scaled);
}

static void first_points_come_from_every_design(void **state) {
  (void)state;
  double trace = 0;
  for (int sampling = SAMPLING_LATIN_HYPERCUBE; sampling <= SAMPLING_RANDOM; sampling++) {
    Trial *t = trial_new(sphere, 3, 2);
    t->fit.sampling = sampling;
    t->fit.generations = 1;
    trial_run(t);
    assert_true(t->trace != trace);
    trace = t->trace;
    t->fit.generations = 0;
    trial_run(t);
    assert_at_sphere(t, 0.02);
    trial_free(t);
  }
}

static void a_generation_is_one_call(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 2, 1);
  trial_run(t);
  assert_int_equal(t->calls, t->result.iterations + 1);
  assert_true(t->result.iterations > 10);
  trial_free(t);
}

static void generations_are_limited(void **state) {
  (void)state;
  Trial *t = trial_new(valley, 4, -4);
  t->fit.generations = 7;
  trial_run(t);
  assert_int_equal(t->result.end, LOCAL_GENERATIONS_END);
  assert_int_equal(t->result.iterations, 7);
  assert_false(local_end_converged(t->result.end));
  trial_free(t);
}

static void the_population_is_as_large_as_wanted(void **state) {
  (void)state;
  const int sizes[] = {1, 2, 3, 5, 33};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    Trial *t = trial_new(sphere, 2, 1);
    t->fit.population = sizes[k];
    t->fit.generations = 3;
    trial_run(t);
    assert_true(t->points <= 4 * sizes[k] && t->points >= sizes[k]);
    trial_free(t);
  }
}

static void a_target_ends_the_search(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, -4);
  t->options.target = 0.5;
  trial_run(t);
  assert_int_equal(t->result.end, LOCAL_TARGET_END);
  int generations = t->result.iterations;
  t->options.target = 0.26;
  for (int i = 0; i < 3; i++) t->result.best->x[i] = -4;
  trial_run(t);
  assert_int_equal(t->result.end, LOCAL_TARGET_END);
  assert_true(t->result.iterations > generations);
  trial_run(t); // already there
  assert_int_equal(t->result.iterations, 0);
  trial_free(t);
}

static void errors_of_simulations_are_not_fought(void **state) {
  (void)state;
  Trial *t = trial_new(exact_sphere, 3, -4);
  t->lsq.noise = 1e-5;
  trial_run(t);
  assert_int_equal(t->result.end, LOCAL_REDUCTION_END);
  assert_true(t->result.best->objective <= 1e-5 && t->result.best->objective > 1e-12);
  trial_free(t);
}

// In the middle of a generation, too: trial_run sees that the best point so far is kept.
static void a_stopped_search_has_the_best_point_so_far(void **state) {
  (void)state;
  double last = HUGE_VAL;
  for (int after = 1; after < 400; after = 2 * after + 1) {
    Trial *t = trial_new(valley, 3, -4);
    t->stop_after = after;
    trial_run(t);
    assert_int_equal(t->result.end, LOCAL_STOPPED_END);
    assert_int_equal(t->points, after);
    assert_true(t->result.best->objective <= last);
    last = t->result.best->objective;
    trial_free(t);
  }
}

static bool wall_on_the_left(const double *x) {
  return x[0] < 0.2 || (x[1] > 1 && x[1] < 2);
}

static void failed_simulations_are_worst(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, -4); // fails at the start
  t->wall = wall_on_the_left;
  trial_run(t);
  assert_true(local_end_converged(t->result.end));
  assert_at_sphere(t, 0.02);
  trial_free(t);
}

static bool wall_almost_everywhere(const double *x) {
  return fabs(x[0]) > 0.5;
}

static void a_tenth_of_the_box_is_enough(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, -4);
  t->wall = wall_almost_everywhere;
  trial_run(t);
  assert_at_sphere(t, 0.05);
  trial_free(t);
}

static bool wall_everywhere(const double *x) {
  (void)x;
  return true;
}

static void it_is_said_when_nothing_can_be_simulated(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, -4);
  t->wall = wall_everywhere;
  trial_run(t);
  assert_int_equal(t->result.end, LOCAL_NO_START_END);
  assert_int_equal(t->result.iterations, 0);
  trial_free(t);
}

static double flat(const double *x, int n) {
  (void)x, (void)n;
  return 3;
}

static void a_plain_ends_the_search(void **state) {
  (void)state;
  Trial *t = trial_new(flat, 3, -4);
  t->fit.stall = 12;
  trial_run(t);
  assert_true(local_end_converged(t->result.end));
  assert_true(t->result.best->objective == 3);
  assert_true(t->result.iterations >= 12);
  assert_true(t->result.iterations < 200);
  trial_free(t);
}

#define GLOBAL_LAWS                                                                                \
  cmocka_unit_test(a_sphere_is_found), cmocka_unit_test(a_curved_valley_is_followed),              \
      cmocka_unit_test(the_best_of_many_optima_is_found),                                          \
      cmocka_unit_test(bounds_may_hold_the_solution),                                              \
      cmocka_unit_test(numbers_with_equal_bounds_stay),                                            \
      cmocka_unit_test(nothing_to_find_takes_one_evaluation), cmocka_unit_test(a_box_is_no_bound), \
      cmocka_unit_test(the_seed_decides_everything), cmocka_unit_test(units_do_not_matter),        \
      cmocka_unit_test(first_points_come_from_every_design),                                       \
      cmocka_unit_test(a_generation_is_one_call), cmocka_unit_test(generations_are_limited),       \
      cmocka_unit_test(the_population_is_as_large_as_wanted),                                      \
      cmocka_unit_test(a_target_ends_the_search),                                                  \
      cmocka_unit_test(errors_of_simulations_are_not_fought),                                      \
      cmocka_unit_test(a_stopped_search_has_the_best_point_so_far),                                \
      cmocka_unit_test(failed_simulations_are_worst),                                              \
      cmocka_unit_test(a_tenth_of_the_box_is_enough),                                              \
      cmocka_unit_test(it_is_said_when_nothing_can_be_simulated),                                  \
      cmocka_unit_test(a_plain_ends_the_search)
