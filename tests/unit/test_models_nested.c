// Likelihood ratios of nested models follow their law, and what breaks the law is told.
#include "study/models_nested.h"

#include "line_models.h"
#include "num/distribution.h"
#include "study/models_run.h"

static Models *pair(const Problem *small, const Problem *large, Err *err) {
  static const Problem *p[2];
  static const ModelsNesting nested = {0, 1};
  p[0] = small, p[1] = large;
  ModelsRequest q = {.problems = p, .count = 2, .nested = &nested, .nested_count = 1};
  return models_run(&q, NULL, NULL, err);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Kolmogorov and Smirnov: largest distance from the uniform law, times sqrt(n). Above 1.95 in 0.1 % of cases.
static double distance_from_uniform(double *p, int n) {
  double most = 0;
  qsort(p, (size_t)n, sizeof *p, by_size);
  for (int i = 0; i < n; i++)
    most = fmax(most, fmax(p[i] - i / (double)n, (i + 1) / (double)n - p[i]));
  return most * sqrt(n);
}

enum { TRIALS = 150 };

// sigma is given, so that chi-square is exact: p is uniform, for 1 to 3 irrelevant parameters.
static void the_ratio_is_chi_square(void **state) {
  (void)state;
  static const char *const MORE[] = {"c: {start: 0}", "c: {start: 0}, d: {start: 0}",
                                     "c: {start: 0}, d: {start: 0}, e: {start: 0}"};
  for (int k = 0; k < 3; k++) {
    double p[TRIALS];
    for (int i = 0; i < TRIALS; i++) {
      Lines l;
      Err err = {0};
      char estimate[200];
      lines_open(&l, 1000 * (uint64_t)(k + 1) + (uint64_t)i, 0.1, 0.1);
      snprintf(estimate, sizeof estimate, "%s, %s", LINE_AB, MORE[k]);
      Models *m = pair(lines_problem(&l, "s.yaml", "measure: {y: {sigma: 0.1}}", LINE_AB),
                       lines_problem(&l, "l.yaml", "measure: {y: {sigma: 0.1}}", estimate), &err);
      assert_non_null(m);
      assert_int_equal(m->tests[0].freedom, k + 1);
      assert_false(m->tests[0].failed);
      double squares = line_squares(l.t, l.y, NULL, LINE_ROWS, 2) -
                       line_squares(l.t, l.y, NULL, LINE_ROWS, 3 + k);
      assert_close(m->tests[0].ratio, squares / 0.01, 1e-5);
      p[i] = m->tests[0].p;
      models_free(m);
      lines_close(&l);
    }
    assert_true(distance_from_uniform(p, TRIALS) < 1.95);
  }
}

// With c >= 0, which is 0 in truth, half of the ratios are 0, and p by the mixture holds its level.
static void one_bound_makes_it_a_mixture(void **state) {
  (void)state;
  int nothing = 0, rejected = 0;
  for (int i = 0; i < TRIALS; i++) {
    Lines l;
    Err err = {0};
    lines_open(&l, 9000 + (uint64_t)i, 0.1, 0.1);
    Models *m = pair(lines_problem(&l, "s.yaml", "measure: {y: {sigma: 0.1}}", LINE_AB),
                     lines_problem(&l, "l.yaml", "measure: {y: {sigma: 0.1}}",
                                   "a: {start: 0}, b: {start: 0}, c: {start: 1, min: 0, max: 9}"),
                     &err);
    const ModelTest *t = &m->tests[0];
    assert_int_equal(t->at_bound, 1);
    assert_true(t->remark_count > 0 && strstr(t->remarks[0], "bound") != NULL);
    nothing += t->ratio < 1e-4;
    rejected += t->bounded_p < 0.2;
    models_free(m);
    lines_close(&l);
  }
  // Binomial: within 3.3 standard deviations of 1/2 and of 0.2.
  assert_true(fabs(nothing - TRIALS / 2.0) < 3.3 * sqrt(TRIALS * 0.25));
  assert_true(fabs(rejected - TRIALS * 0.2) < 3.3 * sqrt(TRIALS * 0.16));
}

static void a_larger_model_that_fits_worse_has_failed(void **state) {
  (void)state;
  Lines l;
  Err err = {0};
  lines_open(&l, 7, 0.1, 0.1);
  Models *m = pair(lines_problem(&l, "s.yaml", "measure: [y]", LINE_AB),
                   lines_problem(&l, "l.yaml", "measure: [y]", // not nested: the slope cannot be 2
                                 "a: {start: 0}, b: {start: 0.5, min: 0, max: 1}, e: {start: 0}"),
                   &err);
  assert_true(m->tests[0].known && m->tests[0].failed && isnan(m->tests[0].p));
  assert_non_null(strstr(m->tests[0].remarks[0], "fits worse"));
  models_free(m);
  lines_close(&l);
}

// Whatever counts beside the noise: a search that did well is not said to have failed, and p is given only where it has a law.
static void what_is_no_likelihood_has_no_p(void **state) {
  static const char *const SIGMAS[] = {"sigma: estimate", "sigma: 0.1"};
  static const char *const MORE[] = {"", "}\nloss: huber\noptions: {seed: 1"};
  static const char *const PRIORS[] = {"", ", prior: {mean: 2.5, sd: 0.05}"};
  int without = 0;
  (void)state;
  for (int i = 0; i < 200; i++) {
    Lines l;
    Err err = {0};
    char measure[300], small[200], large[300];
    lines_open(&l, 300 + (uint64_t)i, 0.1, 0.3);
    const char *sigma = SIGMAS[i % 2], *prior = PRIORS[i / 2 % 2], *more = MORE[i / 4 % 5 == 4];
    int weight = 1 + i % 3 * 12;
    snprintf(measure, sizeof measure,
             "measure: {y: {column: y, %s, weight: %d}, a - b*time: {column: z, %s}}", sigma,
             weight, sigma);
    snprintf(small, sizeof small, "a: {start: 2%s}, b: {start: 1}%s", prior, more);
    snprintf(large, sizeof large, "a: {start: 2%s}, b: {start: 1}, c: {start: 0}%s", prior, more);
    Models *m = pair(lines_problem(&l, "s.yaml", measure, small),
                     lines_problem(&l, "l.yaml", measure, large), &err);
    const ModelTest *t = &m->tests[0];
    bool has_law = !more[0] && (weight == 1 || i % 2);
    assert_true(t->known && !t->failed);
    if (!has_law) assert_true(isnan(t->p) && t->remark_count > 0);
    if (has_law && !prior[0]) assert_true(isfinite(t->p) && t->ratio > -1e-4);
    if (!more[0]) assert_true(m->rows[1].objective < m->rows[0].objective + 1e-3);
    without += isnan(t->p);
    models_free(m);
    lines_close(&l);
  }
  assert_in_range(without, 50, 150);
}

static void fewer_parameters_cannot_contain_more(void **state) {
  (void)state;
  Lines l;
  Err turned = {0}, equal = {0};
  lines_open(&l, 8, 0.1, 0.1);
  const Problem *two = lines_problem(&l, "two.yaml", "measure: [y]", LINE_AB);
  const Problem *three = lines_problem(&l, "three.yaml", "measure: [y]", LINE_ABC);
  assert_null(pair(three, two, &turned));
  assert_non_null(strstr(turned.text, "must have more parameters"));
  assert_null(pair(two, two, &equal));
  lines_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ratio_is_chi_square),
      cmocka_unit_test(one_bound_makes_it_a_mixture),
      cmocka_unit_test(a_larger_model_that_fits_worse_has_failed),
      cmocka_unit_test(what_is_no_likelihood_has_no_p),
      cmocka_unit_test(fewer_parameters_cannot_contain_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
