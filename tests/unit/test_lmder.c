#include "local/lsq.h"
#include "local_laws.h"

// Evaluations of residuals plus Jacobians that a program with nothing but lmder of cminpack 1.3.6 needs with the same
// tolerances, in the order of lsq_cases. Ours has both of the start from one evaluation, and may not ask for slopes of
// an exact fit.
static const int lmder_counts[] = {37, 34,  36, 31, 16, 44, 19, 13, 242, 13, 76, 134,
                                   54, 685, 35, 78, 34, 27, 19, 15, 4,   46, 22};
_Static_assert(sizeof lmder_counts / sizeof *lmder_counts == LSQ_CASES, "a count for each case");

static void the_path_is_that_of_minpack(void **state) {
  (void)state;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    Run r = run_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    if (!lsq_case_is_solved(c, r.best->objective) || !local_end_converged(r.result.end))
      fail_msg("%s: %.6g, %s", c->name, r.best->objective, local_end_word(r.result.end));
    int fewer = lmder_counts[k] - r.result.evaluations;
    if (fewer != 1 && (fewer != 2 || r.result.end != LOCAL_ZERO_END))
      fail_msg("%s: %d evaluations, not %d", c->name, r.result.evaluations, lmder_counts[k] - 1);
    run_free(&r);
  }
}

// Bounds far away change nothing, not even the last bit.
static void bounds_that_are_not_met_do_not_matter(void **state) {
  (void)state;
  const double start[] = {.25, .39, .415, .39};
  Run plain = run_new(kowalik_osborne, 11, 4, start),
      boxed = run_new(kowalik_osborne, 11, 4, start);
  for (int i = 0; i < 4; i++) boxed.t->lower[i] = -1, boxed.t->upper[i] = 10;
  run_it(&plain);
  run_it(&boxed);
  assert_int_equal(plain.result.evaluations, boxed.result.evaluations);
  assert_memory_equal(plain.best->x, boxed.best->x, 4 * sizeof(double));
  run_free(&plain);
  run_free(&boxed);
}

static void slope_leads_inside_or_along(const Run *r) {
  const LsqPoint *p = r->best;
  for (int i = 0; i < r->t->lsq.n; i++) {
    double slope = 0, norm = 0;
    for (int k = 0; k <= i; k++) {
      slope += p->R[k * r->t->lsq.n + i] * p->Qr[k];
      norm += p->R[k * r->t->lsq.n + i] * p->R[k * r->t->lsq.n + i];
    }
    slope /= sqrt(2 * norm * p->objective);
    if (p->x[i] > r->t->lower[i]) assert_true(slope < 1e-4);
    if (p->x[i] < r->t->upper[i]) assert_true(slope > -1e-4);
  }
}

// Wherever a search in random boxes ends, no number wants to leave its place, and none better is near by the other method.
static void where_it_ends_at_bounds_nothing_is_left_to_gain(void **state) {
  (void)state;
  int held = 0, same = 0;
  enum { BOXES = 60 };
  for (int k = 0; k < BOXES; k++) {
    const double start[] = {.25, .39, .415, .39};
    Run r = run_new(kowalik_osborne, 11, 4, start), other = run_new(kowalik_osborne, 11, 4, start);
    r.t->seed = (unsigned long long)k + 1;
    for (int i = 0; i < 4; i++) {
      double middle = 0.25 + 0.15 * lsq_test_random(r.t);
      r.t->lower[i] = other.t->lower[i] = middle - 0.1;
      r.t->upper[i] = other.t->upper[i] = middle + 0.1;
    }
    run_it(&r);
    local_lm(&other.t->lsq, &other.options, &other.result);
    assert_true(local_end_converged(r.result.end));
    if (r.best->has_slopes) slope_leads_inside_or_along(&r);
    for (int i = 0; i < 4; i++)
      held += r.best->x[i] == r.t->lower[i] || r.best->x[i] == r.t->upper[i];
    same += fabs(r.best->objective - other.best->objective) <= 1e-6 * other.best->objective;
    run_free(&r);
    run_free(&other);
  }
  assert_true(held > BOXES);
  assert_true(same > 0.95 * BOXES);
}

static void fewer_residuals_than_numbers(void **state) {
  (void)state;
  const double start[] = {1, 1, 1, 1};
  Run r = run_new(linear_rank_one, 2, 4, start);
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close_relative(r.best->objective, 0.1, 1e-12); // sum = 3/5: residuals -2/5 and 1/5
  run_free(&r);
}

static void without_residuals_it_is_our_own_method(void **state) {
  (void)state;
  const double start[] = {1, 1, 1};
  Run r = run_new(bard, 15, 3, start);
  r.t->lsq.residuals = NULL;
  run_it(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close_relative(r.best->objective, 8.21487e-3 / 2, 1e-5);
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LOCAL_LAWS,
      cmocka_unit_test(the_path_is_that_of_minpack),
      cmocka_unit_test(bounds_that_are_not_met_do_not_matter),
      cmocka_unit_test(where_it_ends_at_bounds_nothing_is_left_to_gain),
      cmocka_unit_test(fewer_residuals_than_numbers),
      cmocka_unit_test(without_residuals_it_is_our_own_method),
  };
  method = local_lmder;
  slopes_come_later = true;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
