// A comparison of models says of each what closed formulas say of a linear model, whatever the order of the models.
#include "study/models_run.h"

#include "line_models.h"

static Models *compare(const Problem *const *problems, int count, int folds) {
  Err err = {0};
  ModelsRequest q = {.problems = problems, .count = count, .folds = folds};
  Models *m = models_run(&q, NULL, NULL, &err);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static void criteria_equal_the_closed_formulas(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 1, 0.1, 0.1);
  const Problem *p[] = {lines_problem(&l, "one.yaml", "measure: [y]", "a: {start: 0}"),
                        lines_problem(&l, "two.yaml", "measure: [y]", LINE_AB),
                        lines_problem(&l, "three.yaml", "measure: [y]", LINE_ABC)};
  Models *m = compare(p, 3, 0);
  double n = LINE_ROWS, aic[3], least = HUGE_VAL, sum = 0;
  for (int i = 0; i < 3; i++) {
    double k = i + 2; // with sigma
    aic[i] = n * (log(2 * M_PI * line_squares(l.t, l.y, NULL, LINE_ROWS, i + 1) / n) + 1) + 2 * k;
    least = fmin(least, aic[i]);
    assert_int_equal(m->rows[i].parameters, i + 2);
    assert_int_equal(m->rows[i].unknowns, i + 1);
    assert_close(m->rows[i].aic, aic[i], 1e-5);
    assert_close(m->rows[i].aicc, aic[i] + 2 * k * (k + 1) / (n - k - 1), 1e-5);
    assert_close(m->rows[i].bic, aic[i] + k * (log(n) - 2), 1e-5);
    assert_close_relative(m->rows[i].rmse[0],
                          sqrt(line_squares(l.t, l.y, NULL, LINE_ROWS, i + 1) / n), 1e-6);
  }
  for (int i = 0; i < 3; i++) sum += exp(-(aic[i] - least) / 2);
  for (int i = 0; i < 3; i++) {
    assert_close(m->rows[i].delta, aic[i] - least, 1e-5);
    assert_close(m->rows[i].weight, exp(-(aic[i] - least) / 2) / sum, 1e-5);
  }
  assert_true(m->rows[0].correlated); // a constant for a slope
  assert_false(m->rows[1].correlated);
  assert_close(m->inflation, 1, 0); // the best fit is white
  assert_true(isnan(m->rows[0].quasi));
  models_free(m);
  lines_close(&l);
}

// Where also the best model leaves a pattern, log L is divided by the inflation in all rows.
static void correlated_residuals_lower_what_the_likelihood_says(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 2, 0.1, 0.1);
  const Problem *p[] = {
      lines_problem(&l, "one.yaml", "measure: [y]", "a: {start: 0}"),
      lines_problem(&l, "b.yaml", "measure: [y]", "c: {start: 0}, d: {start: 0}")};
  Models *m = compare(p, 2, 0);
  const ModelRow *best = &m->rows[m->best];
  assert_true(best->correlated && best->effective < LINE_ROWS);
  assert_close_relative(m->inflation, LINE_ROWS / best->effective, 1e-12);
  for (int i = 0; i < 2; i++)
    assert_close(m->rows[i].quasi,
                 2 * m->rows[i].parameters - 2 * m->rows[i].likelihood.log / m->inflation, 1e-9);
  models_free(m);
  lines_close(&l);
}

static void the_order_of_models_does_not_matter(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 3, 0.1, 0.1);
  const Problem *p[] = {lines_problem(&l, "one.yaml", "measure: [y]", "a: {start: 0}"),
                        lines_problem(&l, "two.yaml", "measure: [y]", LINE_AB),
                        lines_problem(&l, "three.yaml", "measure: [y]", LINE_ABC)};
  const Problem *turned[] = {p[2], p[0], p[1]};
  static const int PLACE[] = {1, 2, 0};
  Models *m = compare(p, 3, 4), *other = compare(turned, 3, 4);
  for (int i = 0; i < 3; i++) {
    const ModelRow *x = &m->rows[i], *y = &other->rows[PLACE[i]];
    assert_string_equal(x->label, y->label);
    assert_memory_equal(x->x, y->x, (size_t)x->unknowns * sizeof *x->x);
    assert_close(x->aic, y->aic, 0);
    assert_close(x->delta, y->delta, 0);
    assert_close(x->weight, y->weight, 1e-12);
    assert_close(x->cross[0], y->cross[0], 0);
  }
  assert_true(sha256_equal(&m->data, &other->data));
  models_free(m);
  models_free(other);
  lines_close(&l);
}

// The error in each block by the line through the others.
static void cross_validation_equals_that_of_regression(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 4, 0.1, 0.1);
  const Problem *p[] = {lines_problem(&l, "a.yaml", "measure: [y]", LINE_AB),
                        lines_problem(&l, "b.yaml", "measure: [y]", LINE_ABC)};
  enum { FOLDS = 4 };
  double squares = 0;
  for (int k = 0; k < FOLDS; k++) {
    double s[5] = {0}; // sums of 1, t, t^2, y, t y outside of the block
    for (int i = 0; i < LINE_ROWS; i++) {
      double t = l.t[i], y = l.y[i];
      if (i * FOLDS / LINE_ROWS == k) continue;
      s[0] += 1, s[1] += t, s[2] += t * t, s[3] += y, s[4] += t * y;
    }
    double b = (s[0] * s[4] - s[1] * s[3]) / (s[0] * s[2] - s[1] * s[1]),
           a = (s[3] - b * s[1]) / s[0];
    for (int i = 0; i < LINE_ROWS; i++)
      if (i * FOLDS / LINE_ROWS == k) squares += pow(l.y[i] - a - b * l.t[i], 2);
  }
  Models *m = compare(p, 2, FOLDS);
  assert_close_relative(m->rows[0].cross[0], sqrt(squares / LINE_ROWS), 1e-6);
  assert_int_equal(m->rows[0].folds_done, FOLDS);
  models_free(m);
  lines_close(&l);
}

static bool stop_at_the_second(void *data, const ModelsProgress *p) {
  (void)data;
  return p->row < 1;
}

static void finished_rows_are_kept(void **state) {
  (void)state;
  Lines l;
  Err err = {0};
  lines_open(&l, 5, 0.1, 0.1);
  const Problem *p[] = {lines_problem(&l, "a.yaml", "measure: [y]", LINE_AB),
                        lines_problem(&l, "b.yaml", "measure: [y]", LINE_ABC),
                        lines_problem(&l, "a.yaml", "measure: [y]", LINE_AB)};
  ModelsRequest q = {.problems = p, .count = 3};
  Models *m = models_run(&q, stop_at_the_second, NULL, &err);
  assert_non_null(m);
  assert_true(m->stopped && m->rows[0].done && m->rows[0].usable && !m->rows[2].done);
  assert_true(isfinite(m->rows[0].aic) && isnan(m->rows[2].aic));
  assert_false(models_all_usable(m));
  assert_string_equal(m->rows[2].label, "a.yaml (2)"); // labels differ
  models_free(m);
  lines_close(&l);
}

static void start_values_and_sensors_are_nuisance(void **state) {
  (void)state;
  Made made;
  Err err = {0};
  made_open(&made);
  made_file(&made, "m.mo",
            "model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n"
            "  der(x) = -k*x;\nend M;\n");
  made_file(&made, "d.csv", "t,x\n0,1.01\n1,0.38\n2,0.13\n3,0.06\n4,0.02\n5,0.012\n");
  static const char YAML[] =
      "model: m.mo\nexperiments: [{data: d.csv, measure: {x: {column: x, offset: {start: 0, min: "
      "-1, max: 1}}}}]\nestimate: {k: {start: 1}, x.start: {start: 1}}\n";
  made_load(&made, YAML);
  const Problem *p[] = {made.problem, made.problem};
  ModelsRequest q = {.problems = p, .count = 2};
  Models *m = models_run(&q, NULL, NULL, &err);
  assert_non_null(m);
  assert_int_equal(m->rows[0].unknowns, 3);
  assert_int_equal(m->rows[0].nuisance, 2);
  models_free(m);
  made_close(&made);
}

static void what_cannot_be_compared_is_an_error(void **state) {
  (void)state;
  Lines l;
  Err one = {0}, other = {0};
  lines_open(&l, 6, 0.1, 0.1);
  const Problem *p[] = {lines_problem(&l, "a.yaml", "measure: [y]", LINE_AB),
                        lines_problem(&l, "b.yaml", "measure: [z]", "g: {start: 1}")};
  assert_null(models_run(&(ModelsRequest){.problems = p, .count = 1}, NULL, NULL, &one));
  assert_null(models_run(&(ModelsRequest){.problems = p, .count = 2}, NULL, NULL, &other));
  assert_string_equal(other.file, "b.yaml");
  assert_true(isnan(aicc_of(1, 5, 6)) && aicc_of(1, 5, 7) == 61);
  lines_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(criteria_equal_the_closed_formulas),
      cmocka_unit_test(correlated_residuals_lower_what_the_likelihood_says),
      cmocka_unit_test(the_order_of_models_does_not_matter),
      cmocka_unit_test(cross_validation_equals_that_of_regression),
      cmocka_unit_test(finished_rows_are_kept),
      cmocka_unit_test(start_values_and_sensors_are_nuisance),
      cmocka_unit_test(what_cannot_be_compared_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
