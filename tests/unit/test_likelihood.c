// The log-likelihood of a linear model equals the closed formula, for each kind of sigma.
#include "study/likelihood.h"

#include "line_models.h"

static Likelihood of(Lines *l, const char *experiment, const char *estimate) {
  AssessedFit f =
      assessed_fit_run(lines_problem(l, "p.yaml", experiment, estimate), NULL, 0, NULL, NULL);
  Likelihood out = likelihood_of(&f);
  assert_int_equal(out.sigmas, likelihood_sigmas(f.fitting->data->problem));
  assessed_fit_done(&f);
  return out;
}

static double concentrated(double squares, double n) {
  return -n / 2 * (log(2 * M_PI * squares / n) + 1);
}

static void an_unknown_sigma_is_the_most_likely_one(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 1, 0.1, 0.3);
  Likelihood got = of(&l, "measure: [y]", LINE_AB);
  assert_close(got.log, concentrated(line_squares(l.t, l.y, NULL, LINE_ROWS, 2), LINE_ROWS), 1e-6);
  assert_int_equal(got.sigmas, 1);
  assert_int_equal(got.samples, LINE_ROWS);
  assert_false(got.exact);
  lines_close(&l);
}

// The objective adds squares of both channels: one sigma for both.
static void channels_without_sigma_share_one(void **state) {
  (void)state;
  Lines l;
  double z[LINE_ROWS], squares;
  lines_open(&l, 2, 0.1, 0.3);
  for (int i = 0; i < LINE_ROWS; i++) z[i] = l.z[i] + l.t[i];
  squares = line_squares(l.t, l.y, NULL, LINE_ROWS, 2) + line_squares(l.t, z, NULL, LINE_ROWS, 1);
  Likelihood got = of(&l, "measure: [y, z]", "a: {start: 0}, b: {start: 0}, g: {start: 1}");
  assert_close(got.log, concentrated(squares, 2 * LINE_ROWS), 1e-6);
  assert_int_equal(got.sigmas, 1);
  lines_close(&l);
}

static void estimated_sigmas_belong_to_channels(void **state) {
  (void)state;
  Lines l;
  double z[LINE_ROWS];
  lines_open(&l, 3, 0.1, 0.3);
  for (int i = 0; i < LINE_ROWS; i++) z[i] = l.z[i] + l.t[i];
  Likelihood got = of(&l, "measure: {y: {sigma: estimate}, z: {sigma: estimate}}",
                      "a: {start: 0}, b: {start: 0}, g: {start: 1}");
  assert_close(got.log,
               concentrated(line_squares(l.t, l.y, NULL, LINE_ROWS, 2), LINE_ROWS) +
                   concentrated(line_squares(l.t, z, NULL, LINE_ROWS, 1), LINE_ROWS),
               1e-6);
  assert_int_equal(got.sigmas, 2);
  lines_close(&l);
}

static void a_given_sigma_is_used(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 4, 0.1, 0.3);
  double squares = line_squares(l.t, l.y, NULL, LINE_ROWS, 2);
  double wanted = -LINE_ROWS / 2.0 * log(2 * M_PI * 0.04) - squares / 0.08;
  Likelihood got = of(&l, "measure: {y: {sigma: 0.2}}", LINE_AB);
  assert_close(got.log, wanted, 1e-6);
  assert_int_equal(got.sigmas, 0);
  lines_close(&l);
}

// A weight is an inverse variance: r ~ N(0, s^2/w). The same for all samples, it changes nothing where s is unknown.
static void weights_are_inverse_variances(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 5, 0.1, 0.3);
  double squares = line_squares(l.t, l.y, NULL, LINE_ROWS, 2);
  Likelihood plain = of(&l, "measure: [y]", LINE_AB);
  Likelihood heavy = of(&l, "measure: {y: {weight: 4}}", LINE_AB);
  assert_close(heavy.log, plain.log, 1e-6);
  Likelihood given = of(&l, "measure: {y: {sigma: 0.2, weight: 4}}", LINE_AB);
  assert_close(given.log, -LINE_ROWS / 2.0 * log(2 * M_PI * 0.01) - squares / 0.02, 1e-6);
  lines_close(&l);
}

// y and z pull a to 1 and to 3: how much each counts decides where the fit ends.
static Likelihood of_two(Lines *l, const char *y, const char *z, const char *more) {
  char measure[300], estimate[200];
  snprintf(measure, sizeof measure, "measure: {y: {column: y, %s}, a - time: {column: z, %s}}", y,
           z);
  snprintf(estimate, sizeof estimate, "a: {start: 2, min: -9, max: 9%s", more);
  return of(l, measure, estimate);
}

// The same weight for all, or weights that are variances of a noise whose size is given or common: the fit makes L as large as it can be.
// Else it says so, and L is less than without weights.
static void a_fit_that_weighs_otherwise_is_told(void **state) {
  static const struct {
    const char *y, *z, *more;
    bool greatest;
  } CASES[] = {
      {"sigma: estimate", "sigma: estimate", "}", true},
      {"sigma: estimate, weight: 3", "sigma: estimate, weight: 3", "}", true},
      {"sigma: estimate, weight: 1.03", "sigma: estimate", "}", true},
      {"sigma: estimate, weight: 1.2", "sigma: estimate", "}", false},
      {"sigma: estimate, weight: 9", "sigma: estimate", "}", false},
      {"sigma: estimate", "sigma: estimate, weight: 9", "}", false},
      {"sigma: 0.1, weight: 9", "sigma: 0.3", "}", true},
      {"weight: 9", "weight: 1", "}", true},
      {"sigma: 0.1", "weight: 1", "}", false},
      {"sigma: 0.1", "sigma: estimate", "}", true},
      {"sigma: 0.1", "sigma: estimate, weight: 4", "}", false},
      {"sigma: estimate", "sigma: estimate", "}}\nloss: huber\noptions: {seed: 1", false},
      {"sigma: estimate", "sigma: estimate", "}}\nscale: range\noptions: {seed: 1", false},
      {"sigma: 0.2", "sigma: 0.3", "}}\nscale: range\noptions: {seed: 1", true},
      {"sigma: 0.2", "sigma: 0.3", "}}\ncriterion: integral\noptions: {seed: 1", true},
      {"sigma: 0.2", "sigma: 0.3", "}}\nweights: grid\noptions: {seed: 1", true},
  };
  (void)state;
  Lines l;
  lines_open(&l, 7, 0.1, 0.3);
  double plain = of_two(&l, CASES[0].y, CASES[0].z, CASES[0].more).log;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Likelihood got = of_two(&l, CASES[i].y, CASES[i].z, CASES[i].more);
    if (got.greatest != CASES[i].greatest) fail_msg("y: %s, z: %s", CASES[i].y, CASES[i].z);
    if (got.sigmas == 2) assert_true(got.log <= plain + 1e-6);
    if (got.sigmas == 2 && got.greatest) assert_close(got.log, plain, 5e-3);
  }
  lines_close(&l);
}

static void residuals_of_rounding_are_told(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 6, 0, 0);
  Likelihood got = of(&l, "measure: [y]", LINE_AB);
  assert_true(got.exact);
  assert_true(isfinite(got.log));
  lines_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unknown_sigma_is_the_most_likely_one),
      cmocka_unit_test(channels_without_sigma_share_one),
      cmocka_unit_test(estimated_sigmas_belong_to_channels),
      cmocka_unit_test(a_given_sigma_is_used),
      cmocka_unit_test(weights_are_inverse_variances),
      cmocka_unit_test(a_fit_that_weighs_otherwise_is_told),
      cmocka_unit_test(residuals_of_rounding_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
