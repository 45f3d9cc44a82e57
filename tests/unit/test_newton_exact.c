#include "local_laws.h"
#include "num/random.h"

// ---- second derivatives by differences of exact slopes, of order 4

static void slopes_at(LsqTest *t, const double *x, double *slope) {
  int n = t->lsq.n;
  for (int i = 0; i < n; i++) t->x[i] = x[i] * (t->unit ? t->unit[i] : 1);
  for (int j = 0; j < n; j++) {
    double unit = t->unit ? t->unit[j] : 1;
    ((double *)&t->x[j])[1] = 1e-100; // the imaginary part
    t->residuals(&t->shape, t->x, t->r);
    t->x[j] = x[j] * unit;
    slope[j] = 0;
    for (int i = 0; i < t->shape.m; i++) slope[j] += creal(t->r[i]) * cimag(t->r[i]) * 1e100 * unit;
  }
}

static struct {
  int count, fail_from, stop_from; // counted from 1; 0: never
} hessians;

static void differences_of_slopes(LsqTest *t, const double *x, int k, double *row) {
  static const double WEIGHT[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  int n = t->lsq.n;
  double moved[LSQ_CASE_NUMBERS], slope[LSQ_CASE_NUMBERS];
  double h = 1e-3 * fmax(fabs(x[k]), 1e-3 * t->typical[k]);
  memset(row, 0, (size_t)n * sizeof *row);
  for (int side = -2; side <= 2; side++) {
    if (side == 0) continue;
    memcpy(moved, x, (size_t)n * sizeof *x);
    moved[k] += side * h;
    slopes_at(t, moved, slope);
    for (int j = 0; j < n; j++) row[j] += WEIGHT[side + 2] * slope[j] / h;
  }
}

static LsqEnd hessian_at(void *self, const double *x, double *H) {
  LsqTest *t = self;
  int n = t->lsq.n;
  hessians.count++;
  if (hessians.stop_from && hessians.count >= hessians.stop_from) return LSQ_STOP;
  if (hessians.fail_from && hessians.count >= hessians.fail_from) return LSQ_FAILED;
  for (int k = 0; k < n; k++) differences_of_slopes(t, x, k, H + k * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) H[i * n + j] = H[j * n + i] = (H[i * n + j] + H[j * n + i]) / 2;
  return LSQ_DONE;
}

static void newton(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Lsq with = *lsq;
  with.hessian = hessian_at;
  hessians.count = 0;
  local_newton(&with, options, result);
}

// ---- what second derivatives do

// Not from the start of Biggs, which stands on a ridge that nothing leads off; differences do not have the second
// derivatives of Powell's singular function at its minimum.
static void problems_of_the_literature_are_solved(void **state) {
  (void)state;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    if (strcmp(c->name, "Biggs") == 0 || strcmp(c->name, "Powell singular") == 0) continue;
    Run r = run_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    if (!lsq_case_is_solved(c, r.best->objective) || !local_end_converged(r.result.end))
      fail_msg("%s: %.6g, %s", c->name, r.best->objective, local_end_word(r.result.end));
    run_free(&r);
  }
}

static int evaluations_of(const LsqCase *c, LocalMethod *by) {
  Run r = run_new(c->residuals, c->m, c->n, c->start);
  by(&r.t->lsq, &r.options, &r.result);
  assert_true(lsq_case_is_solved(c, r.best->objective));
  int count = r.result.evaluations;
  run_free(&r);
  return count;
}

static void large_residuals_need_few_steps(void **state) {
  (void)state;
  static const char *names[] = {"Freudenstein-Roth", "Jennrich-Sampson", "Brown-Dennis"};
  int found = 0;
  for (int k = 0; k < LSQ_CASES; k++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      if (strcmp(lsq_cases[k].name, names[i]) != 0) continue;
      found++;
      assert_true(2 * evaluations_of(&lsq_cases[k], newton) <
                  evaluations_of(&lsq_cases[k], local_lm));
    }
  assert_int_equal(found, sizeof names / sizeof *names);
}

typedef struct Path {
  int count;
  double x[300][LSQ_CASE_NUMBERS];
} Path;

static Path path, other_path, *path_now = &path;

static void note_path(void *self, const LsqPoint *p, int iteration) {
  LsqTest *t = self;
  lsq_test_accepted(self, p, iteration);
  if (iteration > 300) return;
  for (int i = 0; i < t->lsq.n; i++)
    path_now->x[iteration - 1][i] = p->x[i] * (t->unit ? t->unit[i] : 1);
  path_now->count = iteration;
}

// The residuals of a swing stay large in its wrong minima; Gauss-Newton steps would gain a constant part there.
static void digits_double_in_each_step(void **state) {
  (void)state;
  int seen = 0;
  for (int k = 0; k < 15; k++) {
    double start = 3.5 + 0.1 * k;
    Run r = run_new(swing, 500, 1, &start);
    r.t->lsq.accepted = note_path;
    r.options.step_tol = r.options.reduction_tol = 1e-13;
    run_it(&r);
    assert_true(local_end_converged(r.result.end));
    for (int i = 0; i + 1 < path.count; i++) {
      double before = fabs(path.x[i][0] - r.best->x[0]),
             after = fabs(path.x[i + 1][0] - r.best->x[0]);
      if (!(before < 1e-2) || before < 1e-6) continue;
      assert_true(after <= 50 * before * before + 1e-10);
      seen++;
    }
    run_free(&r);
  }
  assert_true(seen >= 15);
}

// From the top of a hill, where second derivatives are negative, the plain Newton step would lead up.
static void hills_are_left_downwards(void **state) {
  (void)state;
  int negative = 0;
  for (int k = 0; k < 40; k++) {
    double start = 3.3 + 0.05 * k, H;
    Run r = run_new(swing, 500, 1, &start);
    hessian_at(r.t, &start, &H);
    negative += H < 0;
    run_it(&r); // asserts that the objective never rises
    assert_true(local_end_converged(r.result.end));
    hessian_at(r.t, r.best->x, &H);
    assert_true(H > 0);
    run_free(&r);
  }
  assert_true(negative >= 10);
}

static double first_step(double sigma) {
  const double start[] = {1, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  r.t->lsq.accepted = note_path;
  r.options.max_iterations = 1;
  r.options.newton_sigma = sigma;
  run_it(&r);
  double size = 0;
  for (int i = 0; i < 3; i++) size = hypot(size, path.x[0][i] - start[i]);
  run_free(&r);
  return size;
}

static void a_given_sigma_shortens_the_first_step(void **state) {
  (void)state;
  assert_true(first_step(1) < 0.9 * first_step(0));
  assert_close(first_step(4e6) / first_step(1e6), 0.25, 1e-4); // along the slope
}

static double reached(double sigma, double c1, double c2) {
  const double start[] = {-1.2, 1};
  Run r = run_new(rosenbrock, 2, 2, start);
  r.options.newton_sigma = sigma;
  r.options.newton_c1 = c1;
  r.options.newton_c2 = c2;
  r.options.max_iterations = 40;
  run_it(&r);
  double objective = r.best->objective;
  run_free(&r);
  return objective;
}

// No ratio is above 100, each one is below: a large sigma stays or grows, and steps creep.
static void ratios_of_gains_steer_sigma(void **state) {
  (void)state;
  double usual = reached(100, 0.25, 0.75), kept = reached(100, 0.25, 100),
         raised = reached(100, 100, 100);
  assert_true(usual < 1e-12);
  assert_true(kept > 1e-2 && raised > 1.1 * kept);
}

// A number in micro-units instead of units: the same points, but for rounding errors.
static void units_do_not_matter(void **state) {
  (void)state;
  static const char *names[] = {"Bard", "Kowalik-Osborne", "Osborne 2", "Wood"};
  double unit[LSQ_CASE_NUMBERS];
  for (int i = 0; i < LSQ_CASE_NUMBERS; i++)
    unit[i] = i % 3 == 0 ? 0x1p-20 : i % 3 == 1 ? 1 : 0x1p13;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    bool wanted = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      wanted = wanted || strcmp(names[i], c->name) == 0;
    for (int other = 0; wanted && other < 2; other++) {
      Run r = run_new(c->residuals, c->m, c->n, c->start);
      r.t->unit = other ? unit : NULL;
      r.t->lsq.accepted = note_path;
      path_now = other ? &other_path : &path;
      for (int i = 0; other && i < c->n; i++) {
        r.best->x[i] /= unit[i];
        r.t->typical[i] /= unit[i];
      }
      run_it(&r);
      run_free(&r);
    }
    path_now = &path;
    if (!wanted) continue;
    assert_int_equal(path.count, other_path.count);
    for (int j = 0; j < path.count; j++)
      for (int i = 0; i < c->n; i++)
        assert_close(other_path.x[j][i], path.x[j][i], 1e-5 * (1e-3 + fabs(path.x[j][i])));
  }
}

// ---- where they cannot be had

static void steps_of_linear_residuals_fill_in(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  for (int from = 1; from < 4; from++) {
    Run r = run_new(bard, 15, 3, start);
    hessians.fail_from = from;
    run_it(&r);
    hessians.fail_from = 0;
    assert_true(local_end_converged(r.result.end));
    assert_close_relative(r.best->objective, 8.21487e-3 / 2, 1e-4);
    run_free(&r);
  }
  Run r = run_new(bard, 15, 3, start);
  local_newton(&r.t->lsq, &r.options, &r.result); // nobody knows them
  assert_close_relative(r.best->objective, 8.21487e-3 / 2, 1e-4);
  run_free(&r);
}

static void a_stop_during_second_derivatives_keeps_the_point(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  for (int from = 1; from < 5; from++) {
    Run r = run_new(bard, 15, 3, start);
    hessians.stop_from = from;
    newton(&r.t->lsq, &r.options, &r.result);
    hessians.stop_from = 0;
    assert_int_equal(r.result.end, LOCAL_STOPPED_END);
    assert_int_equal(r.result.iterations, from - 1);
    assert_true(r.best->has_slopes && (from == 1 || r.best->objective == r.t->last));
    run_free(&r);
  }
}

// One for each step, none at the end.
static void second_derivatives_are_evaluated_once_for_each_step(void **state) {
  (void)state;
  const double start[] = {.25, .39, .415, .39};
  Run r = run_new(kowalik_osborne, 11, 4, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_int_equal(hessians.count, r.result.iterations);
  assert_true(r.result.evaluations > r.result.iterations + 1); // some steps were rejected
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LOCAL_LAWS,
      cmocka_unit_test(problems_of_the_literature_are_solved),
      cmocka_unit_test(large_residuals_need_few_steps),
      cmocka_unit_test(digits_double_in_each_step),
      cmocka_unit_test(hills_are_left_downwards),
      cmocka_unit_test(a_given_sigma_shortens_the_first_step),
      cmocka_unit_test(ratios_of_gains_steer_sigma),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(steps_of_linear_residuals_fill_in),
      cmocka_unit_test(a_stop_during_second_derivatives_keeps_the_point),
      cmocka_unit_test(second_derivatives_are_evaluated_once_for_each_step),
  };
  method = newton;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
