#include "lsq_problems.h"
#include "test.h"

static void one_decay(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) r[i] = cexp(-x[0] * 0.1 * i) - exp(-3 * 0.1 * i);
}

// Newton's iteration for the root of atan: whole steps diverge from beyond 1.39.
static void arctangent(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = catan(x[0]);
}

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
  local_gauss_newton(&r->t->lsq, &r->options, &r->result);
  assert_int_equal(r->result.iterations, r->t->accepted);
}

static void run_free(Run *r) {
  arena_free(r->t->arena);
}

static void whole_steps_converge_quadratically(void **state) {
  (void)state;
  const double start = 2.5;
  Run r = run_new(one_decay, 40, 1, &start);
  r.options.line_search = LINE_SEARCH_OFF;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], 3, 1e-12);
  assert_true(r.result.evaluations <= 7);
  run_free(&r);
}

// 1 - factor of the error remains in each step, whatever the problem.
static double error_after(const double *start, double factor, int iterations) {
  Run r = run_new(brown_almost_linear, 10, 10, start);
  r.options.line_search = LINE_SEARCH_OFF;
  r.options.step_factor = factor;
  r.options.max_iterations = iterations;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_ITERATIONS_END);
  assert_int_equal(r.result.iterations, iterations);
  double error = sqrt(r.best->objective);
  run_free(&r);
  return error;
}

static void a_step_factor_leaves_its_part_of_the_residuals(void **state) {
  (void)state;
  double near[10];
  for (int i = 0; i < 10; i++) near[i] = 1 + 1e-5 * (i + 1);
  for (double factor = 0.1; factor < 0.6; factor += 0.2) {
    double ratio = error_after(near, factor, 8) / error_after(near, factor, 7);
    assert_close(ratio, 1 - factor, 1e-3);
  }
}

static void without_a_line_search_whatever_comes_is_taken(void **state) {
  (void)state;
  const double start = 1.5;
  Run r = run_new(arctangent, 1, 1, &start);
  r.options.line_search = LINE_SEARCH_OFF;
  r.options.max_iterations = 3;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_ITERATIONS_END);
  assert_false(r.t->monotone);
  assert_close(r.best->x[0], 1.5, 0); // the lowest point of a search that did not converge
  run_free(&r);
}

static void a_line_search_keeps_it_going_down(void **state) {
  (void)state;
  const double start = 1.5;
  Run r = run_new(arctangent, 1, 1, &start);
  run_it(&r);
  assert_true(r.t->monotone);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], 0, 1e-9);
  run_free(&r);
}

static void problems_of_the_literature_with_a_line_search(void **state) {
  (void)state;
  static const char *names[] = {"Rosenbrock", "Bard", "Box", "Osborne 2", "Watson 6", "Beale"};
  int found = 0;
  for (int k = 0; k < LSQ_CASES; k++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      const LsqCase *c = &lsq_cases[k];
      if (strcmp(c->name, names[i]) != 0) continue;
      found++;
      Run r = run_new(c->residuals, c->m, c->n, c->start);
      run_it(&r);
      assert_true(r.t->monotone);
      if (!lsq_case_is_solved(c, r.best->objective))
        fail_msg("%s: %.6g, %s", c->name, r.best->objective, local_end_word(r.result.end));
      run_free(&r);
    }
  assert_int_equal(found, sizeof names / sizeof *names);
}

static void the_shortest_step_is_taken_where_data_leave_a_choice(void **state) {
  (void)state;
  const double start[] = {1, 1, 1, 1};
  Run r = run_new(linear_rank_one, 10, 4, start);
  r.options.line_search = LINE_SEARCH_OFF;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->objective, 15.0 / 14, 1e-9);
  double share =
      r.best->x[0] - 1; // in scaled numbers all columns are the same: each takes the same part
  for (int j = 1; j < 4; j++) assert_close((r.best->x[j] - 1) * (j + 1), share, 1e-8);
  run_free(&r);
}

static void points_are_cut_off_at_the_bounds(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  Run r = run_new(rosenbrock, 2, 2, start);
  r.t->lower[0] = r.t->lower[1] = -2;
  r.t->upper[0] = 3, r.t->upper[1] = 1.5;
  r.options.line_search = LINE_SEARCH_OFF;
  run_it(&r); // eval asserts the bounds
  assert_close(r.best->x[0], 1, 1e-8);
  assert_close(r.best->x[1], 1, 1e-8);
  run_free(&r);
}

static bool wall_at_four(const double *x) {
  return fabs(x[0]) > 4;
}

static void a_failed_simulation_ends_or_halves_the_step(void **state) {
  (void)state;
  const double start = 3; // the whole step leads to -9.5
  Run r = run_new(arctangent, 1, 1, &start);
  r.t->wall = wall_at_four;
  r.options.line_search = LINE_SEARCH_OFF;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_FAILED_END);
  assert_close(r.best->x[0], 3, 0);
  run_free(&r);
  r = run_new(arctangent, 1, 1, &start);
  r.t->wall = wall_at_four;
  run_it(&r);
  assert_close(r.best->x[0], 0, 1e-9);
  run_free(&r);
}

static void a_target_and_a_stop_end_the_search(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  r.options.target = 0.5;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_TARGET_END);
  assert_true(r.best->objective <= 0.5);
  run_free(&r);
  r = run_new(bard, 15, 3, start);
  r.t->stop_after = 2;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_STOPPED_END);
  assert_int_equal(r.result.evaluations, 3);
  assert_true(r.best->has_slopes && r.best->objective == r.t->last);
  run_free(&r);
}

// ---------------------------------------------------------------- minimum norm

// r = x0*x1 - 6 twice, and a weak preference for x0 = 100.
static void a_product(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] * x[1] - 6;
  r[1] = 2 * (x[0] * x[1] - 6);
  r[2] = 1e-4 * (x[0] - 100);
}

static Run shortest_new(LsqResiduals *residuals, int m, int n, const double *start) {
  Run r = run_new(residuals, m, n, start);
  r.options.gn_rank = GN_RANK_MINIMUM_NORM;
  r.options.line_search = LINE_SEARCH_NATURAL; // means halving here
  return r;
}

static void what_the_data_hardly_show_is_left_alone(void **state) {
  (void)state;
  const double start[] = {1, 1};
  Run r = shortest_new(a_product, 3, 2, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_true(r.t->monotone);
  assert_close(r.best->x[0], sqrt(6), 1e-3); // both take the same part
  assert_close(r.best->x[1], sqrt(6), 1e-3);
  run_free(&r);
  r = run_new(a_product, 3, 2, start); // every direction counts
  run_it(&r);
  assert_close(r.best->x[0], 100, 1e-3);
  run_free(&r);
}

// Unknowns are not scaled: the step is a multiple of the slope where rank is one.
static void the_shortest_step_is_that_of_the_unknowns_themselves(void **state) {
  (void)state;
  const double start[] = {1, 1, 1, 1};
  Run r = shortest_new(linear_rank_one, 10, 4, start);
  run_it(&r);
  assert_close(r.best->objective, 15.0 / 14, 1e-9);
  double share = r.best->x[0] - 1;
  for (int j = 1; j < 4; j++) assert_close((r.best->x[j] - 1) / (j + 1), share, 1e-8);
  run_free(&r);
}

// The threshold 0 cuts nothing.
static void without_a_threshold_it_is_gauss_newton(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run plain = run_new(bard, 15, 3, start), r = shortest_new(bard, 15, 3, start);
  r.options.gn_rank_tol = 0;
  plain.options.max_iterations = r.options.max_iterations = 2;
  run_it(&plain);
  run_it(&r);
  for (int i = 0; i < 3; i++) assert_close_relative(plain.best->x[i], r.best->x[i], 1e-9);
  run_free(&plain);
  run_free(&r);
}

static void bounds_halve_the_shortest_step_and_then_hold(void **state) {
  (void)state;
  const double start[] = {1, 1};
  Run r = shortest_new(a_product, 3, 2, start);
  r.t->upper[1] = 1.5;
  run_it(&r); // eval asserts the bounds
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], 4, 1e-3);
  assert_close(r.best->x[1], 1.5, 1e-6);
  run_free(&r);
  const double corner[] = {1, 1.5}; // begins where the first step pushes outwards
  r = shortest_new(a_product, 3, 2, corner);
  r.t->upper[1] = 1.5;
  run_it(&r);
  assert_close(r.best->x[0], 4, 1e-3);
  run_free(&r);
}

// ---------------------------------------------------------------- natural

static Run natural_new(LsqResiduals *residuals, int m, int n, const double *start) {
  Run r = run_new(residuals, m, n, start);
  r.options.line_search = LINE_SEARCH_NATURAL;
  return r;
}

static void more_problems_of_the_literature_are_solved_than_by_halving(void **state) {
  (void)state;
  int solved[2] = {0};
  for (int k = 0; k < LSQ_CASES; k++)
    for (int natural = 0; natural < 2; natural++) {
      const LsqCase *c = &lsq_cases[k];
      Run r = natural ? natural_new(c->residuals, c->m, c->n, c->start)
                      : run_new(c->residuals, c->m, c->n, c->start);
      run_it(&r);
      solved[natural] += lsq_case_is_solved(c, r.best->objective);
      run_free(&r);
    }
  assert_int_equal(solved[1], LSQ_CASES);
  assert_true(solved[0] < LSQ_CASES);
}

// Two equations for two numbers: whatever each of them is multiplied with, the steps are the same. A test that looks at
// the sum of squares cannot have that.
static double weight_of_first = 1;

static void weighted_helix(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = weight_of_first * (x[0] * x[0] + x[1] * x[1] - 2);
  r[1] = cexp(x[0] - 1) + x[1] * x[1] * x[1] - 2;
}

static int weighted_steps(bool natural, double weight, double *x) {
  const double start[] = {2, 0.5};
  Run r = natural ? natural_new(weighted_helix, 2, 2, start) : run_new(weighted_helix, 2, 2, start);
  weight_of_first = weight;
  r.options.max_iterations = 3;
  run_it(&r);
  memcpy(x, r.best->x, 2 * sizeof *x);
  int count = r.result.evaluations;
  run_free(&r);
  return count;
}

static void units_of_residuals_do_not_matter(void **state) {
  (void)state;
  double x[2], y[2];
  int plain = weighted_steps(true, 1, x), heavy = weighted_steps(true, 1e4, y);
  assert_int_equal(plain, heavy);
  for (int i = 0; i < 2; i++) assert_close(y[i], x[i], 1e-9);
}

static void the_damping_is_as_strong_as_the_curvature_asks_for(void **state) {
  (void)state;
  const double starts[] = {1.5, 3, 10, 100}; // whole steps diverge from all of them
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
    Run r = natural_new(arctangent, 1, 1, &starts[k]);
    run_it(&r);
    assert_true(local_end_converged(r.result.end));
    assert_close(r.best->x[0], 0, 1e-9);
    assert_true(r.result.evaluations < 40);
    run_free(&r);
  }
}

static void where_data_leave_a_choice_the_shortest_step_is_natural(void **state) {
  (void)state;
  const double start[] = {1, 4, 1};
  Run r = natural_new(product_decay, 20, 3, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0] * r.best->x[1], 6, 1e-7);
  assert_close(r.best->x[2], 0.7, 1e-8);
  run_free(&r);
}

// A Jacobian that hardly has its full rank at the start: steps of full rank would have to be shortened too much.
static void narrow_then_wide(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = catan(20 * (x[0] - 1));
  r[1] = 1e-7 * x[1] + x[0] - 1 + x[1] * x[1] * x[1];
}

static void the_rank_is_lowered_where_damping_is_not_enough(void **state) {
  (void)state;
  const double start[] = {3, 1e-3};
  Run r = natural_new(narrow_then_wide, 2, 2, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->objective, 0, 1e-14);
  run_free(&r);
}

static void natural_steps_end_at_bounds(void **state) {
  (void)state;
  const double start[] = {-1.2, 1};
  Run r = natural_new(rosenbrock, 2, 2, start); // cut off at 1/2
  r.t->upper[0] = 0.5;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_true(r.best->x[0] == 0.5);
  assert_close(r.best->x[1], 0.25, 1e-8);
  run_free(&r);
  for (int corner = 0; corner < 16; corner++) {
    const double inside[] = {.25, .39, .415, .39};
    Run k = natural_new(kowalik_osborne, 11, 4, inside);
    for (int i = 0; i < 4; i++) {
      k.t->lower[i] = 0.01;
      k.t->upper[i] = 1;
      k.best->x[i] = corner >> i & 1 ? 1 : 0.01;
    }
    run_it(&k);
    assert_close_relative(k.best->objective, 3.07505e-4 / 2, 1e-4);
    run_free(&k);
  }
}

// Contraction needs small residuals (or curvature). Where whole steps do not contract, the objective decides.
static void large_residuals_are_left_to_the_line_search(void **state) {
  (void)state;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    if (strcmp(c->name, "Brown-Dennis") != 0) continue;
    Run r = natural_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    assert_true(lsq_case_is_solved(c, r.best->objective));
    run_free(&r);
  }
}

static void a_failed_simulation_shortens_the_step(void **state) {
  (void)state;
  const double start = 3;
  Run r = natural_new(arctangent, 1, 1, &start);
  r.t->wall = wall_at_four;
  run_it(&r);
  assert_close(r.best->x[0], 0, 1e-9);
  run_free(&r);
}

static void targets_and_stops_end_natural_steps(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run r = natural_new(bard, 15, 3, start);
  r.options.target = 0.5;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_TARGET_END);
  assert_true(r.best->objective <= 0.5);
  run_free(&r);
  for (int k = 1; k < 6; k++) {
    r = natural_new(bard, 15, 3, start);
    r.t->stop_after = k;
    run_it(&r);
    assert_int_equal(r.result.end, LOCAL_STOPPED_END);
    assert_int_equal(r.result.evaluations, k + 1);
    assert_true(r.best->objective <= 41.7 / 2);
    run_free(&r);
  }
  r = natural_new(bard, 15, 3, start);
  r.options.max_iterations = 2;
  run_it(&r);
  assert_int_equal(r.result.end, LOCAL_ITERATIONS_END);
  assert_int_equal(r.result.iterations, 2);
  run_free(&r);
}

static void noise_of_a_simulation_ends_natural_steps(void **state) {
  (void)state;
  for (int k = 0; k < 20; k++) {
    const double start[] = {2, 0.3, 1, 2, 0};
    Run r = natural_new(decay_sum, 50, 5, start);
    r.t->jitter = 1e-9;
    r.t->seed = (unsigned long long)k;
    r.t->lsq.noise = 50 * 1e-18 / 2;
    run_it(&r);
    assert_true(local_end_converged(r.result.end));
    assert_close(r.best->x[1], 0.5, 1e-6);
    run_free(&r);
  }
}

static void without_residuals_the_objective_decides(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run natural = natural_new(bard, 15, 3, start), searched = run_new(bard, 15, 3, start);
  natural.t->lsq.residuals = NULL;
  run_it(&natural);
  run_it(&searched);
  assert_int_equal(natural.result.evaluations, searched.result.evaluations);
  assert_memory_equal(natural.best->x, searched.best->x, 3 * sizeof(double));
  run_free(&natural);
  run_free(&searched);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_steps_converge_quadratically),
      cmocka_unit_test(a_step_factor_leaves_its_part_of_the_residuals),
      cmocka_unit_test(without_a_line_search_whatever_comes_is_taken),
      cmocka_unit_test(a_line_search_keeps_it_going_down),
      cmocka_unit_test(problems_of_the_literature_with_a_line_search),
      cmocka_unit_test(the_shortest_step_is_taken_where_data_leave_a_choice),
      cmocka_unit_test(points_are_cut_off_at_the_bounds),
      cmocka_unit_test(a_failed_simulation_ends_or_halves_the_step),
      cmocka_unit_test(what_the_data_hardly_show_is_left_alone),
      cmocka_unit_test(the_shortest_step_is_that_of_the_unknowns_themselves),
      cmocka_unit_test(without_a_threshold_it_is_gauss_newton),
      cmocka_unit_test(bounds_halve_the_shortest_step_and_then_hold),
      cmocka_unit_test(a_target_and_a_stop_end_the_search),
      cmocka_unit_test(more_problems_of_the_literature_are_solved_than_by_halving),
      cmocka_unit_test(units_of_residuals_do_not_matter),
      cmocka_unit_test(the_damping_is_as_strong_as_the_curvature_asks_for),
      cmocka_unit_test(where_data_leave_a_choice_the_shortest_step_is_natural),
      cmocka_unit_test(the_rank_is_lowered_where_damping_is_not_enough),
      cmocka_unit_test(natural_steps_end_at_bounds),
      cmocka_unit_test(large_residuals_are_left_to_the_line_search),
      cmocka_unit_test(a_failed_simulation_shortens_the_step),
      cmocka_unit_test(targets_and_stops_end_natural_steps),
      cmocka_unit_test(noise_of_a_simulation_ends_natural_steps),
      cmocka_unit_test(without_residuals_the_objective_decides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
