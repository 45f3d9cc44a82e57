// Laws that every global method keeps. A test program sets `method` and adds GLOBAL_LAWS to its list.
#pragma once
#include "global_trial.h"
#include "num/design.h"

static LocalMethod *method;

static void run(Trial *t) {
  trial_run(t, method);
}

static void assert_at_sphere(const Trial *t, double tol) {
  for (int i = 0; i < t->lsq.n; i++) assert_close(t->result.best->x[i], 0.3 * (i + 1), tol);
}

static void a_sphere_is_found(void **state) {
  (void)state;
  for (int n = 1; n <= 4; n++) {
    Trial *t = trial_new(sphere, n, -4);
    run(t);
    assert_true(local_end_converged(t->result.end));
    assert_at_sphere(t, 0.02);
    trial_free(t);
  }
}

static void a_curved_valley_is_followed(void **state) {
  (void)state;
  Trial *t = trial_new(valley, 2, -4);
  t->population.generations = 2000;
  t->population.stall = 500;
  run(t);
  assert_true(t->result.best->objective < 1e-3);
  trial_free(t);
}

static void the_best_of_many_optima_is_found(void **state) {
  (void)state;
  int found = 0;
  for (int seed = 1; seed <= 5; seed++) {
    Trial *t = trial_new(hills, 2, 4.5);
    t->population.seed = seed;
    t->population.population = 60;
    run(t);
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
  run(t);
  assert_close(t->result.best->x[0], -2, 0.02);
  assert_close(t->result.best->x[1], 1, 0.02);
  trial_free(t);
}

static void numbers_with_equal_bounds_stay(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, -4);
  t->lower[1] = t->upper[1] = t->box_low[1] = t->box_high[1] = 2;
  run(t);
  const double *x = t->result.best->x;
  assert_true(x[1] == 2);
  assert_close(x[0], 0.3, 0.02);
  assert_close(x[2], 0.9, 0.02);
  for (int i = 0; i < 3; i++) {
    t->lower[i] = t->upper[i] = t->box_low[i] = t->box_high[i] = x[i];
  }
  run(t);
  assert_true(local_end_converged(t->result.end));
  assert_int_equal(t->result.evaluations, 1);
  trial_free(t);
}

static void nothing_to_find_takes_one_evaluation(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 0, 0);
  run(t);
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
  t->population.stall = 100;
  run(t);
  assert_at_sphere(t, 0.05);
  trial_free(t);
}

static void the_seed_decides_everything(void **state) {
  (void)state;
  double trace[3];
  for (int k = 0; k < 3; k++) {
    Trial *t = trial_new(hills, 3, 4.5);
    t->population.seed = k == 2 ? 8 : 7;
    t->population.generations = 20;
    run(t);
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
    double *scale[] = {&scaled->lower[i],         &scaled->upper[i],   &scaled->box_low[i],
                       &scaled->box_high[i],      &scaled->typical[i], &scaled->unit[i],
                       &scaled->result.best->x[i]};
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) *scale[k] *= units[i];
  }
  scaled->size = 0x1p-40;
  plain->population.generations = scaled->population.generations = 60;
  run(plain);
  run(scaled);
  assert_int_equal(plain->points, scaled->points);
  assert_true(plain->trace == scaled->trace);
  trial_free(plain);
  trial_free(scaled);
}

static double stretched_valley(const double *x, int n) {
  return pow(valley(x, n), 3);
}

static void nothing_but_the_order_of_objectives_counts(void **state) {
  (void)state;
  Trial *plain = trial_new(valley, 3, -4), *stretched = trial_new(stretched_valley, 3, -4);
  plain->population.generations = stretched->population.generations = 40;
  plain->population.stall = stretched->population.stall = 1000;
  run(plain);
  run(stretched);
  assert_int_equal(plain->result.iterations, 40);
  assert_true(plain->trace == stretched->trace);
  trial_free(plain);
  trial_free(stretched);
}

static void first_points_come_from_every_design(void **state) {
  (void)state;
  double trace = 0;
  for (int sampling = DESIGN_LATIN_HYPERCUBE; sampling <= DESIGN_RANDOM; sampling++) {
    Trial *t = trial_new(sphere, 3, 2);
    t->population.sampling = sampling;
    t->population.generations = 1;
    run(t);
    assert_true(t->trace != trace);
    trace = t->trace;
    t->population.generations = 0;
    run(t);
    assert_at_sphere(t, 0.02);
    trial_free(t);
  }
}

static void a_generation_is_one_call(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 2, 1);
  run(t);
  assert_int_equal(t->calls, t->result.iterations + 1);
  assert_true(t->result.iterations > 10);
  trial_free(t);
}

static void generations_are_limited(void **state) {
  (void)state;
  Trial *t = trial_new(valley, 4, -4);
  t->population.generations = 7;
  run(t);
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
    t->population.population = sizes[k];
    t->population.generations = 3;
    run(t);
    int size = sizes[k] < 4 ? 4 : sizes[k];
    assert_true(t->points <= 4 * size && t->points >= size);
    trial_free(t);
  }
}

static void a_target_ends_the_search(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, -4);
  t->options.target = 0.5;
  run(t);
  assert_int_equal(t->result.end, LOCAL_TARGET_END);
  int generations = t->result.iterations;
  t->options.target = 0.26;
  for (int i = 0; i < 3; i++) t->result.best->x[i] = -4;
  run(t);
  assert_int_equal(t->result.end, LOCAL_TARGET_END);
  assert_true(t->result.iterations > generations);
  run(t); // already there
  assert_int_equal(t->result.iterations, 0);
  trial_free(t);
}

static void errors_of_simulations_are_not_fought(void **state) {
  (void)state;
  Trial *t = trial_new(exact_sphere, 3, -4);
  t->lsq.noise = 1e-5;
  run(t);
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
    run(t);
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
  run(t);
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
  run(t);
  assert_at_sphere(t, 0.05);
  trial_free(t);
}

static void it_is_said_when_nothing_can_be_simulated(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, -4);
  t->wall = wall_everywhere;
  run(t);
  assert_int_equal(t->result.end, LOCAL_NO_START_END);
  assert_int_equal(t->result.iterations, 0);
  trial_free(t);
}

static void a_plain_ends_the_search(void **state) {
  (void)state;
  Trial *t = trial_new(flat, 3, -4);
  t->population.stall = 12;
  run(t);
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
      cmocka_unit_test(nothing_but_the_order_of_objectives_counts),                                \
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
