// Laws that every bounded local method keeps. A test program sets `method` and adds LOCAL_LAWS to its list.
#pragma once
#include "lsq_problems.h"
#include "test.h"

static LocalMethod *method;
static bool slopes_come_later; // than the point that is accepted

typedef struct Run {
  LsqTest *t;
  LsqPoint *best;
  LocalResult result;
  LocalOptions options;
} Run;

static Run run_new(LsqResiduals *residuals, int m, int n, const double *start) {
  Run r = {.t = lsq_test_new(residuals, m, n), .options = lsq_test_options()};
  r.best = r.result.best = lsq_point_new(r.t->arena, n);
  if (n) memcpy(r.best->x, start, (size_t)n * sizeof *start);
  return r;
}

static void run_it(Run *r) {
  method(&r->t->lsq, &r->options, &r->result);
  assert_int_equal(r->result.evaluations, r->t->evaluations + (r->result.end == LOCAL_STOPPED_END));
  assert_int_equal(r->result.iterations, r->t->accepted);
  assert_true(r->t->monotone);
}

static void run_free(Run *r) {
  arena_free(r->t->arena);
}

// ---- laws

static void a_product_leaves_one_direction_open(void **state) {
  (void)state;
  const double start[] = {1, 4, 1};
  Run r = run_new(product_decay, 20, 3, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0] * r.best->x[1], 6, 1e-7);
  assert_close(r.best->x[2], 0.7, 1e-8);
  run_free(&r);
}

static void a_linear_problem_takes_one_step(void **state) {
  (void)state;
  const double start[] = {1, 1, 1, 1};
  Run r = run_new(linear_rank_one, 10, 4, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_int_equal(r.result.iterations, 1);
  assert_close(r.best->objective, 15.0 / 14, 1e-9);
  run_free(&r);
}

// Rosenbrock's valley cut off at x0 = 1/2: the minimum on the bound is (1/2, 1/4).
static void a_bound_may_hold_the_solution(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  Run r = run_new(rosenbrock, 2, 2, start);
  r.t->upper[0] = 0.5;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_true(r.best->x[0] == 0.5);
  assert_close(r.best->x[1], 0.25, 1e-8);
  run_free(&r);
}

static void starts_are_moved_inside_the_bounds(void **state) {
  (void)state;
  const double start[] = {-7, 100};
  Run r = run_new(rosenbrock, 2, 2, start);
  r.t->lower[0] = -3, r.t->lower[1] = -2;
  r.t->upper[0] = 3, r.t->upper[1] = 2;
  run_it(&r);
  assert_close(r.best->x[0], 1, 1e-8);
  assert_close(r.best->x[1], 1, 1e-8);
  run_free(&r);
}

static void a_start_in_a_corner_is_left(void **state) {
  (void)state;
  for (int corner = 0; corner < 16; corner++) {
    const double start[] = {.25, .39, .415, .39};
    Run r = run_new(kowalik_osborne, 11, 4, start);
    for (int i = 0; i < 4; i++) {
      r.t->lower[i] = 0.01;
      r.t->upper[i] = 1;
      r.best->x[i] = corner >> i & 1 ? 1 : 0.01;
    }
    run_it(&r);
    assert_close_relative(r.best->objective, 3.07505e-4 / 2, 1e-4);
    run_free(&r);
  }
}

static void numbers_with_equal_bounds_stay(void **state) {
  (void)state;
  const double start[] = {9, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  r.t->lower[0] = r.t->upper[0] = 0.1;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_true(r.best->x[0] == 0.1);
  for (int i = 1; i < 3; i++) r.t->lower[i] = r.t->upper[i] = r.best->x[i];
  double found = r.best->objective;
  r.t->evaluations = r.t->accepted = 0;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_int_equal(r.result.evaluations, 1);
  assert_true(r.best->objective == found);
  run_free(&r);
}

static void nothing_to_find_takes_one_evaluation(void **state) {
  (void)state;
  const double none[1] = {0};
  Run r = run_new(beale, 3, 0, none); // reads no number: see below
  r.t->residuals = linear_rank_one;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_int_equal(r.result.evaluations, 1);
  assert_close(r.best->objective, 1.5, 1e-15);
  run_free(&r);
}

static void one_decay(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) r[i] = cexp(-x[0] * 0.1 * i) - exp(-3 * 0.1 * i);
}

static void one_number_is_found(void **state) {
  (void)state;
  const double starts[] = {0, 2.9, 3, 8, 50};
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
    Run r = run_new(one_decay, 40, 1, &starts[k]);
    run_it(&r);
    assert_true(local_end_converged(r.result.end));
    assert_close(r.best->x[0], 3, 3 * r.options.step_tol);
    run_free(&r);
  }
}

static bool wall_at_four(const double *x) {
  return x[0] > 4 || x[0] < -0.1;
}

static void failed_simulations_are_rejected_steps(void **state) {
  (void)state;
  const double starts[] = {-0.1, 0, 3.9, 4};
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
    Run r = run_new(one_decay, 40, 1, &starts[k]);
    r.t->wall = wall_at_four;
    run_it(&r);
    assert_close(r.best->x[0], 3, 3 * r.options.step_tol);
    run_free(&r);
  }
}

static bool wall_everywhere(const double *x) {
  (void)x;
  return true;
}

static bool wall_at_zero(const double *x) {
  return x[0] <= 0;
}

static void a_start_that_fails_is_said(void **state) {
  (void)state;
  const double start = 1;
  Run r = run_new(one_decay, 40, 1, &start);
  r.t->wall = wall_everywhere;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_NO_START_END);
  assert_false(local_end_converged(r.result.end));
  run_free(&r);
}

static void a_start_that_fails_at_a_bound_is_moved_off(void **state) {
  (void)state;
  const double start = 0;
  Run r = run_new(one_decay, 40, 1, &start);
  r.t->wall = wall_at_zero;
  r.t->lower[0] = 0;
  run_it(&r);
  assert_close(r.best->x[0], 3, 3 * r.options.step_tol);
  run_free(&r);
}

static void a_stopped_search_has_the_best_point_so_far(void **state) {
  (void)state;
  const double start[] = {.5, 1.5, -1, .01, .02};
  double last = HUGE_VAL;
  for (int k = 1; k < 12; k++) {
    Run r = run_new(osborne_1, 33, 5, start);
    r.t->stop_after = k;
    run_it(&r);
    if (r.result.end != LOCAL_STOPPED_END) {
      run_free(&r);
      break;
    }
    assert_int_equal(r.result.evaluations, k + 1);
    assert_true(r.best->objective <= last);
    assert_true(r.best->has_slopes || slopes_come_later);
    if (r.result.iterations) assert_true(r.best->objective == r.t->last);
    last = r.best->objective;
    run_free(&r);
  }
}

static void a_target_ends_the_search(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  Run r = run_new(rosenbrock, 2, 2, start);
  r.options.target = 1;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_TARGET_END);
  assert_true(r.best->objective <= 1 && r.best->objective > 1e-6);
  r.t->evaluations = r.t->accepted = 0;
  run_it(&r); // already there
  assert_int_equal(r.result.evaluations, 1);
  run_free(&r);
}

static void steps_are_counted_and_limited(void **state) {
  (void)state;
  const double start[] = {.02, 4000, 250};
  Run r = run_new(meyer, 16, 3, start);
  r.options.max_iterations = 3;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_ITERATIONS_END);
  assert_int_equal(r.result.iterations, 3);
  run_free(&r);
}

static void an_exact_fit_is_exact(void **state) {
  (void)state;
  const double start[] = {2, 0.3, 1, 2, 0};
  Run r = run_new(decay_sum, 50, 5, start);
  r.options.step_tol = 1e-12;
  run_it(&r);
  const double truth[] = {3, 0.5, 2, 4, 0.5};
  assert_true(local_end_converged(r.result.end));
  for (int i = 0; i < 5; i++) assert_close_relative(r.best->x[i], truth[i], 1e-11);
  run_free(&r);
}

// Residuals with an error of 1e-9 that is different in every evaluation, as from a simulation: once the search is there, it
// must see that there is nothing left to gain.
static void the_noise_of_a_simulation_is_not_fought(void **state) {
  (void)state;
  for (int k = 0; k < 20; k++) {
    const double start[] = {2, 0.3, 1, 2, 0};
    Run clean = run_new(decay_sum, 50, 5, start), noisy = run_new(decay_sum, 50, 5, start);
    noisy.t->jitter = 1e-9;
    noisy.t->seed = (unsigned long long)k;
    noisy.t->lsq.noise = 50 * 1e-18 / 2;
    run_it(&clean);
    run_it(&noisy);
    assert_true(local_end_converged(noisy.result.end));
    assert_true(noisy.result.evaluations <= clean.result.evaluations + 3);
    assert_close(noisy.best->x[1], 0.5, 1e-6);
    run_free(&clean);
    run_free(&noisy);
  }
}

static void a_search_from_the_solution_ends_at_once(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  run_it(&r);
  r.t->evaluations = r.t->accepted = 0;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_true(r.result.evaluations <= 2);
  run_free(&r);
}

static bool wall_after_nothing(const double *x) {
  return !(fabs(x[0] - 1) < 1e-300 && fabs(x[1] - 1) < 1e-300);
}

// Only the start can be simulated.
static void a_search_that_cannot_move_says_so(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  r.t->wall = wall_after_nothing;
  r.t->lower[2] = r.t->upper[2] = 1;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_NO_DESCENT_END);
  assert_int_equal(r.result.iterations, 0);
  assert_true(r.result.evaluations < 25);
  run_free(&r);
}

#define LOCAL_LAWS                                                                                 \
  cmocka_unit_test(a_product_leaves_one_direction_open),                                           \
      cmocka_unit_test(a_linear_problem_takes_one_step),                                           \
      cmocka_unit_test(a_bound_may_hold_the_solution),                                             \
      cmocka_unit_test(starts_are_moved_inside_the_bounds),                                        \
      cmocka_unit_test(a_start_in_a_corner_is_left),                                               \
      cmocka_unit_test(numbers_with_equal_bounds_stay),                                            \
      cmocka_unit_test(nothing_to_find_takes_one_evaluation),                                      \
      cmocka_unit_test(one_number_is_found),                                                       \
      cmocka_unit_test(failed_simulations_are_rejected_steps),                                     \
      cmocka_unit_test(a_start_that_fails_is_said),                                                \
      cmocka_unit_test(a_start_that_fails_at_a_bound_is_moved_off),                                \
      cmocka_unit_test(a_stopped_search_has_the_best_point_so_far),                                \
      cmocka_unit_test(a_target_ends_the_search), cmocka_unit_test(steps_are_counted_and_limited), \
      cmocka_unit_test(an_exact_fit_is_exact),                                                     \
      cmocka_unit_test(the_noise_of_a_simulation_is_not_fought),                                   \
      cmocka_unit_test(a_search_from_the_solution_ends_at_once),                                   \
      cmocka_unit_test(a_search_that_cannot_move_says_so)
