#include "global_laws.h"

// Points of every run, told by the number of points that a call has: 4 + 3 ln(3) = 7 at first.
static void runs_after_the_first_have_twice_the_population(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 3, 4);
  t->population.cma_restarts = 0;
  run(t);
  int first = t->result.iterations;
  assert_int_equal(t->points, 7 * (first + 1));
  assert_int_equal(t->result.end, LOCAL_STALL_END);
  trial_free(t);
  t = trial_new(hills, 3, 4);
  t->population.generations = first + 10; // begins as before
  t->population.cma_restarts = 4;
  run(t);
  assert_int_equal(t->points, 7 * (first + 1) + 14 * 10);
  trial_free(t);
}

static void runs_that_agree_end_the_search(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, 4);
  run(t);
  assert_int_equal(t->result.end, LOCAL_AGREED_END);
  trial_free(t);
}

// An ellipse whose axes differ by a factor of 1000 and lie across the numbers: the first generations see the short axis
// alone, and without an adapted covariance it would stay so.
static double tilted(const double *x, int n) {
  double along = 0, sum = 0;
  for (int i = 0; i < n; i++) along += (x[i] - 1) / sqrt(n);
  for (int i = 0; i < n; i++) sum += 1e6 * pow(x[i] - 1 - along / sqrt(n), 2);
  return sum + along * along;
}

static void axes_of_different_lengths_are_learnt(void **state) {
  (void)state;
  for (int n = 2; n <= 6; n += 2) {
    Trial *t = trial_new(tilted, n, -4);
    t->options.target = 1e-8;
    run(t);
    assert_int_equal(t->result.end, LOCAL_TARGET_END);
    assert_true(t->points < 1000 * n);
    trial_free(t);
  }
}

// Near the optimum each generation brings the point nearer by a factor: log-linear convergence.
static void convergence_is_linear(void **state) {
  (void)state;
  int generations[3];
  for (int k = 0; k < 3; k++) {
    Trial *t = trial_new(exact_sphere, 4, -4);
    t->options.step_tol = 1e-14;
    t->options.target = pow(1e-6, k + 1);
    run(t);
    assert_int_equal(t->result.end, LOCAL_TARGET_END);
    generations[k] = t->result.iterations;
    trial_free(t);
  }
  double first = generations[1] - generations[0], second = generations[2] - generations[1];
  assert_close(second / first, 1, 0.4);
}

static void an_optimum_in_a_corner_is_found(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 4, 4);
  for (int i = 0; i < 4; i++) t->lower[i] = t->box_low[i] = 2;
  run(t);
  for (int i = 0; i < 4; i++) assert_close(t->result.best->x[i], 2, 1e-4);
  trial_free(t);
}

// Any point on a circle: no run finds the point of another, but their objectives agree.
static double ring(const double *x, int n) {
  (void)n;
  return 1 + pow(hypot(x[0], x[1]) - 2, 2);
}

static void optima_that_are_not_single_points_end_the_search(void **state) {
  (void)state;
  Trial *t = trial_new(ring, 2, 4);
  run(t);
  assert_int_equal(t->result.end, LOCAL_AGREED_END);
  assert_close(hypot(t->result.best->x[0], t->result.best->x[1]), 2, 0.02);
  trial_free(t);
}

int main(void) {
  method = global_cma_es;
  const struct CMUnitTest tests[] = {
      GLOBAL_LAWS,
      cmocka_unit_test(runs_after_the_first_have_twice_the_population),
      cmocka_unit_test(runs_that_agree_end_the_search),
      cmocka_unit_test(axes_of_different_lengths_are_learnt),
      cmocka_unit_test(convergence_is_linear),
      cmocka_unit_test(an_optimum_in_a_corner_is_found),
      cmocka_unit_test(optima_that_are_not_single_points_end_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
