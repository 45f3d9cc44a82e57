#include "report/fit_residuals.h"

#include "evaluation.h"
#include "hand_problem.h"
#include "search/fit.h"

// Sum of squares of the last column, and the largest difference between model - data and it. Returns the rows.
static int read_residuals(const char *text, double *squares, double *largest) {
  int rows = 0;
  *squares = *largest = 0;
  for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
    double t, data, model, residual;
    assert_int_equal(sscanf(line + 1, "test,x,%lf,%lf,%lf,%lf", &t, &data, &model, &residual), 4);
    *squares += residual * residual;
    *largest = fmax(*largest, fabs(model - data - residual));
    assert_close(t, 0.02 * rows, 1e-9);
    rows++;
  }
  return rows;
}

static void residuals_are_those_of_the_result(int samples, bool in_pieces) {
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(
      h, (HandData){.channels = {"x"}, .step = 0.02, .count = samples, .noise = 0.05, .seed = 2});
  hand_estimate(h, "sigma", -1, 9.5, 2, 50);
  hand_estimate(h, "rho", -1, 29, 5.6, 140);
  hand_estimate(h, "beta", -1, 2.8, 0.5, 13.5);
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_true(r->fits);
  assert_true((r->pieces != NULL) == in_pieces);
  Evaluation *o = evaluation_new(&h->problem);
  Text t;
  Err err = {0};
  double squares, largest;
  text_init(&t);
  assert_true(fit_residuals_csv(&t, &(FitReport){.problem = &h->problem, .result = r}, o->work,
                                o->spec.weighting, &err));
  assert_int_equal(read_residuals(t.at, &squares, &largest), samples);
  assert_close_relative(squares / 2, r->objective, 1e-6);
  assert_true(largest < 1e-9);
  text_done(&t);
  evaluation_free(o);
  fit_free(r);
  hand_done(h);
}

static void of_one_simulation(void **state) {
  (void)state;
  residuals_are_those_of_the_result(151, false);
}

static void of_pieces(void **state) {
  (void)state;
  residuals_are_those_of_the_result(2001, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_one_simulation),
      cmocka_unit_test(of_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
