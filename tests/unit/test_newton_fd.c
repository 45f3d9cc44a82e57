#include "lsq_problems.h"
#include "test.h"

typedef struct Run {
  LsqTest *t;
  LsqPoint *best;
  LocalResult result;
  LocalOptions options;
} Run;

static Run run_new(LsqResiduals *residuals, int m, int n, const double *start) {
  Run r = {.t = lsq_test_new(residuals, m, n), .options = lsq_test_options()};
  r.best = r.result.best = lsq_point_new(r.t->arena, n);
  memcpy(r.best->x, start, (size_t)n * sizeof *start);
  return r;
}

static void run_it(Run *r) {
  local_newton_fd(&r->t->lsq, &r->options, &r->result);
  assert_int_equal(r->result.iterations, r->t->accepted);
  assert_int_equal(r->result.evaluations, r->t->evaluations + (r->result.end == LOCAL_STOPPED_END));
}

static void run_free(Run *r) {
  arena_free(r->t->arena);
}

// A parabola in two numbers: r = (x0 + x1/2 - 2, x1 - 1, x0 - 1.5), J'J = ((2, 1/2), (1/2, 5/4)), minimum (1.5, 1).
static void parabola(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] + x[1] / 2 - 2;
  r[1] = x[1] - 1;
  r[2] = x[0] - 1.5;
}

static void one_parabola(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = 2 * (x[0] - 1.75);
}

// Forward differences of a parabola vanish half a step before the minimum: at x - step/2 H^-1 diag(H).
static void differences_end_half_a_step_away(void **state) {
  (void)state;
  const double start[] = {5, -3}, determinant = 2 * 1.25 - 0.25;
  for (int full = 0; full < 2; full++)
    for (double step = 0.01; step < 0.5; step *= 5) {
      Run r = run_new(parabola, 3, 2, start);
      r.options.fd_step = step;
      r.options.fd_hessian = full ? FD_HESSIAN_FULL : FD_HESSIAN_DIAGONAL;
      run_it(&r);
      assert_true(local_end_converged(r.result.end));
      assert_close(r.best->x[0], 1.5 - step / 2 * (1.25 * 2 - 0.5 * 1.25) / determinant, 1e-7);
      assert_close(r.best->x[1], 1 - step / 2 * (2 * 1.25 - 0.5 * 2) / determinant, 1e-7);
      if (full) assert_true(r.result.iterations <= 3); // second differences of a parabola are exact
      run_free(&r);
    }
}

static void exact_slopes_end_in_the_minimum(void **state) {
  (void)state;
  const double start[] = {5, -3};
  Run r = run_new(parabola, 3, 2, start);
  r.options.fd_step = 0.3;
  r.options.fd_gradient = FD_GRADIENT_SENSITIVITIES;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], 1.5, 1e-7);
  assert_close(r.best->x[1], 1, 1e-7);
  assert_true(r.best->has_slopes);
  run_free(&r);
}

// Diagonal: 2n differences for a step; full: n(n-1)/2 more.
static void evaluations_are_counted(void **state) {
  (void)state;
  const double start[] = {.25, .39, .415, .39};
  for (int full = 0; full < 2; full++)
    for (int steps = 1; steps < 4; steps++) {
      Run r = run_new(kowalik_osborne, 11, 4, start);
      r.options.max_iterations = steps;
      r.options.fd_hessian = full ? FD_HESSIAN_FULL : FD_HESSIAN_DIAGONAL;
      r.options.step_factor = 0.1;
      run_it(&r);
      assert_int_equal(r.result.end, LOCAL_ITERATIONS_END);
      assert_int_equal(r.result.iterations, steps);
      assert_int_equal(r.result.evaluations, 1 + steps * (1 + 2 * 4 + (full ? 6 : 0)));
      run_free(&r);
    }
}

static void a_step_factor_leaves_its_part(void **state) {
  (void)state;
  const double start = 2;
  double left[2];
  for (int steps = 5; steps < 7; steps++) {
    Run r = run_new(one_parabola, 1, 1, &start);
    r.options.fd_gradient = FD_GRADIENT_SENSITIVITIES;
    r.options.step_factor = 0.3;
    r.options.max_iterations = steps;
    run_it(&r);
    left[steps - 5] = r.best->x[0] - 1.75;
    run_free(&r);
  }
  assert_close(left[1] / left[0], 0.7, 1e-6);
}

// At an upper bound differences are taken backwards, between close bounds with a shorter step; eval asserts the bounds.
static void differences_stay_inside_the_bounds(void **state) {
  (void)state;
  const double start[] = {1.2, 0.3};
  Run r = run_new(parabola, 3, 2, start);
  r.options.fd_step = 0.01;
  r.options.fd_hessian = FD_HESSIAN_FULL;
  r.t->upper[0] = 1.2;
  r.t->lower[1] = 0.3, r.t->upper[1] = 0.301;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], 1.2, 0);
  assert_close(r.best->x[1], 0.301, 0);
  run_free(&r);
}

static void numbers_that_cannot_move_or_change_nothing_stay(void **state) {
  (void)state;
  const double start[] = {5, 0.25, 7};
  for (int full = 0; full < 2; full++) {
    Run r = run_new(parabola, 3, 3, start); // it has no third number
    r.t->lower[1] = r.t->upper[1] = 0.25;
    r.options.fd_hessian = full ? FD_HESSIAN_FULL : FD_HESSIAN_DIAGONAL;
    r.options.fd_gradient = FD_GRADIENT_SENSITIVITIES;
    run_it(&r);
    assert_true(local_end_converged(r.result.end));
    assert_close(r.best->x[0], 1.75 - 0.25 / 4, 1e-7);
    assert_close(r.best->x[1], 0.25, 0);
    assert_close(r.best->x[2], 7, 0);
    run_free(&r);
  }
}

// r = x^4 - 1 bends down near 0: the Newton step leads up, and is taken.
static void hill(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] * x[0] * x[0] * x[0] - 1;
}

static void steps_are_taken_wherever_they_lead(void **state) {
  (void)state;
  const double start = 0.5;
  Run r = run_new(hill, 1, 1, &start);
  r.options.max_iterations = 1;
  run_it(&r);
  assert_false(r.t->monotone && r.t->last < 0.5 * 0.9375 * 0.9375);
  assert_int_equal(r.result.end, LOCAL_ITERATIONS_END);
  assert_close(r.best->x[0], 0.5, 0); // the lowest point of a search that did not converge
  run_free(&r);
}

// The objective falls away from the bound that the steps press against.
static void a_bound_met_uphill_is_no_optimum(void **state) {
  (void)state;
  const double start = 0.5;
  Run r = run_new(hill, 1, 1, &start);
  r.t->lower[0] = 0.45;
  run_it(&r);
  assert_false(local_end_converged(r.result.end));
  run_free(&r);
}

static bool wall_at_two(const double *x) {
  return x[0] > 2;
}

static bool wall_around_one(const double *x) {
  return fabs(x[0] - 1) > 0.005;
}

static void failed_simulations_turn_differences_or_end_the_search(void **state) {
  (void)state;
  const double edge = 2, inside = 1;
  Run r = run_new(one_parabola, 1, 1, &edge); // forwards there is nothing
  r.t->wall = wall_at_two;
  r.options.fd_gradient = FD_GRADIENT_SENSITIVITIES;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], 1.75, 1e-7);
  run_free(&r);
  r = run_new(one_parabola, 1, 1, &inside); // the step leaves what can be simulated
  r.t->wall = wall_around_one;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_FAILED_END);
  assert_close(r.best->x[0], 1, 0);
  run_free(&r);
  r = run_new(one_parabola, 1, 1, &edge);
  r.t->wall = wall_around_one;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_NO_START_END);
  run_free(&r);
}

static void a_flat_objective_has_no_step(void **state) {
  (void)state;
  const double start[] = {1, 1}; // J'J of rank 1
  Run r = run_new(linear_rank_one, 10, 2, start);
  r.options.fd_hessian = FD_HESSIAN_FULL;
  r.options.fd_step = 0.25; // differences without rounding errors
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_NO_DESCENT_END);
  run_free(&r);
}

static void a_target_and_a_stop_end_the_search(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  r.options.target = 1;
  r.options.fd_gradient = FD_GRADIENT_SENSITIVITIES;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_TARGET_END);
  assert_true(r.best->objective <= 1);
  run_free(&r);
  for (int most = 1; most < 12; most++) {
    r = run_new(bard, 15, 3, start);
    r.t->stop_after = most;
    run_it(&r);
    assert_int_equal(r.result.end, LOCAL_STOPPED_END);
    assert_int_equal(r.result.evaluations, most + 1);
    assert_true(r.best->objective < HUGE_VAL);
    run_free(&r);
  }
}

static void nothing_to_find_takes_one_evaluation(void **state) {
  (void)state;
  const double none[1] = {0};
  Run r = run_new(linear_rank_one, 3, 0, none);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_true(r.result.evaluations <= 2);
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_end_half_a_step_away),
      cmocka_unit_test(exact_slopes_end_in_the_minimum),
      cmocka_unit_test(evaluations_are_counted),
      cmocka_unit_test(a_step_factor_leaves_its_part),
      cmocka_unit_test(differences_stay_inside_the_bounds),
      cmocka_unit_test(numbers_that_cannot_move_or_change_nothing_stay),
      cmocka_unit_test(steps_are_taken_wherever_they_lead),
      cmocka_unit_test(a_bound_met_uphill_is_no_optimum),
      cmocka_unit_test(failed_simulations_turn_differences_or_end_the_search),
      cmocka_unit_test(a_flat_objective_has_no_step),
      cmocka_unit_test(a_target_and_a_stop_end_the_search),
      cmocka_unit_test(nothing_to_find_takes_one_evaluation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
