// Each constant of the certificate is tested at both sides of its threshold; the rest are laws.
#include "search/certificate.h"

#include "chosen_residuals.h"
#include "num/residual_tests.h"
#include "swings.h"
#include "threshold.h"

enum { MOST = 400 };

static Chosen ready(int count, const double *residuals, double sigma) {
  Chosen c = chosen_open(count, residuals, sigma);
  chosen_ready(&c);
  return c;
}

static bool holds(Chosen *c, double objective) {
  return certificate_holds(c->evaluation->work, c->spec, NULL, CHOSEN_TRUTH, objective);
}

static double objective_of(Chosen *c) {
  return evaluate_value(c->evaluation->work, c->spec, CHOSEN_TRUTH);
}

static void white(double *r, int n, double size, uint64_t seed) {
  Random random;
  random_seed(&random, seed);
  for (int i = 0; i < n; i++) r[i] = size * random_normal(&random);
}

// ---------------------------------------------------------------- what is exact

static bool is_exact(void *data, double share) {
  const Chosen *c = data;
  return certificate_is_exact(c->weighting, share * data_objective(c->weighting, 1));
}

static void exact_means_a_ten_millionth_of_the_variation(void **state) {
  (void)state;
  Chosen c = ready(100, NULL, 0);
  assert_threshold(is_exact, &c, 1e-7);
  chosen_close(&c);
}

static bool too_few_for_exact(void *data, double count) {
  (void)data;
  Chosen c = ready((int)count, NULL, 0);
  bool few = !certificate_is_exact(c.weighting, 0);
  chosen_close(&c);
  return few;
}

// n unknowns fit n samples whatever the model: 2 n + 5 samples are wanted.
static void exact_needs_more_samples_than_unknowns(void **state) {
  (void)state;
  assert_turns(too_few_for_exact, NULL, 6, 7);
}

static void data_that_do_not_change_prove_nothing(void **state) {
  (void)state;
  Chosen c = chosen_open(100, NULL, 0);
  for (int i = 0; i < 100; i++) c.y[i] = 3;
  chosen_ready(&c);
  assert_false(certificate_is_exact(c.weighting, 0));
  assert_false(certificate_noise_is_known(c.weighting));
  chosen_close(&c);
}

// ---------------------------------------------------------------- sizes

static bool is_at_most_floor(void *data, double objective) {
  const Chosen *c = data;
  return objective <= certificate_floor(c->weighting, 1);
}

// With N samples the sum of N squares of noise scatters by sqrt(2/N) of itself.
static void the_floor_is_the_noise_and_its_scatter(void **state) {
  (void)state;
  static const int COUNTS[] = {8, 32, 49}; // so few that the given sigma is the noise
  for (int k = 0; k < 3; k++) {
    int n = COUNTS[k];
    Chosen c = ready(n, NULL, 0.1);
    double noise = n / 2.0, slack = 1 + 4 * sqrt(2.0 / n);
    assert_close_relative(noise_objective(c.weighting, 1), noise, 1e-12);
    assert_threshold(is_at_most_floor, &c, 1.5 * slack * noise);
    chosen_close(&c);
  }
}

static void the_floor_of_too_few_samples_is_that_of_simulations(void **state) {
  (void)state;
  Chosen c = ready(6, NULL, 0); // no differences of order 3 to speak of
  assert_true(isnan(noise_objective(c.weighting, 1)));
  assert_threshold(is_at_most_floor, &c, 1e-7 * data_objective(c.weighting, 1));
  chosen_close(&c);
}

static void the_floor_over_less_data_is_lower(void **state) {
  (void)state;
  double r[200];
  white(r, 200, 0.05, 1);
  Chosen c = ready(200, r, 0);
  for (double horizon = 0.2; horizon < 1; horizon += 0.2)
    assert_true(certificate_floor(c.weighting, horizon) <
                certificate_floor(c.weighting, horizon + 0.2));
  chosen_close(&c);
}

static bool objective_is_believed(void *data, double objective) {
  return holds(data, objective);
}

// Noise that is estimated scatters twice as much as noise that is given.
static void the_limit_is_the_noise_and_its_scatter(void **state) {
  (void)state;
  enum { N = 101 };
  double r[N];
  white(r, N, 0.02, 3);
  for (int given = 0; given < 2; given++) {
    Chosen c = ready(N, r, given ? 0.02 : 0);
    double left = N - 1, noise = noise_objective(c.weighting, 1) * left / N;
    double limit = (1 + (given ? 4.5 : 9) / sqrt(left)) * noise;
    assert_true(objective_of(&c) < limit);
    assert_threshold(objective_is_believed, &c, limit);
    assert_close_relative(certificate_limit(c.weighting), limit, 1e-12);
    chosen_close(&c);
  }
}

static void the_limit_grows_with_the_option(void **state) {
  (void)state;
  double r[100];
  white(r, 100, 0.02, 3);
  Chosen c = ready(100, r, 0);
  double before = certificate_limit(c.weighting);
  c.problem->options.floor_factor = 3;
  assert_close_relative(certificate_limit(c.weighting), 3 * before, 1e-14);
  chosen_close(&c);
}

// ---------------------------------------------------------------- what can be told from the data

typedef struct Count {
  double sigma; // 0: not given
} Count;

static bool samples_are_few(void *data, double count) {
  const Count *q = data;
  Chosen c = chosen_open((int)count, NULL, q->sigma);
  bool few = certificate_samples_are_few(c.problem);
  chosen_close(&c);
  return few;
}

// Samples beyond the one unknown: 20, or 5 when the noise is given.
static void noise_needs_samples(void **state) {
  (void)state;
  assert_turns(samples_are_few, &(Count){0}, 20, 21);
  assert_turns(samples_are_few, &(Count){0.1}, 5, 6);
}

static bool noise_is_known(void *data, double share) {
  double variance = *(const double *)data;
  Chosen c = ready(40, NULL, sqrt(share * variance)); // so few that the given sigma is the noise
  bool known = certificate_noise_is_known(c.weighting);
  chosen_close(&c);
  return known;
}

static void noise_is_known_below_a_tenth_of_the_variation(void **state) {
  (void)state;
  Chosen c = ready(40, NULL, 1);
  double variance = 2 * data_objective(c.weighting, 1) / 40;
  chosen_close(&c);
  assert_threshold(noise_is_known, &variance, 0.1);
}

// Whatever the objective, a result is not certain where the noise cannot be told from the motion.
static void unknown_noise_certifies_nothing(void **state) {
  (void)state;
  double r[40];
  white(r, 40, 0.5, 5);
  Chosen c = ready(40, r, 0.5);
  c.problem->options.floor_factor = 1e6;
  assert_false(certificate_noise_is_known(c.weighting));
  assert_false(holds(&c, objective_of(&c)));
  chosen_close(&c);
}

// ---------------------------------------------------------------- patterns

// A limit so high that patterns alone decide.
static bool pattern_is_believed(const double *r, int n) {
  Chosen c = chosen_open(n, r, 0.02);
  c.problem->options.floor_factor = 1e6;
  chosen_ready(&c);
  bool believed = holds(&c, objective_of(&c));
  chosen_close(&c);
  return believed;
}

// Noise with an echo after 5 samples: the stronger, the less Ljung and Box believe that it is white.
static void echo(double strength, double *r) {
  double e[MOST + 5];
  white(e, MOST + 5, 0.02, 7);
  for (int i = 0; i < MOST; i++) r[i] = e[i + 5] + strength * e[i];
}

static bool noise_of_this_probability_is_refused(void *data, double p) {
  (void)data;
  double r[MOST], low = 0, high = 1;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    echo(middle, r);
    *(ljung_box_p(r, MOST) > p ? &low : &high) = middle;
  }
  assert_close_relative(ljung_box_p(r, MOST), p, 1e-3);
  assert_true(runs_p(r, MOST) > 1e-3); // so that neighbours alone decide
  return !pattern_is_believed(r, MOST);
}

static void neighbours_that_agree_once_in_a_million_cases_are_a_pattern(void **state) {
  (void)state;
  assert_threshold(noise_of_this_probability_is_refused, NULL, 1e-6);
}

// Residuals of one size whose sign changes a chosen number of times, at random places.
static void signs(int changes, uint64_t seed, int n, double *r) {
  Random random;
  random_seed(&random, seed);
  double sign = 0.02;
  int left = changes;
  r[0] = sign;
  for (int i = 1; i < n; i++) {
    if (random_uniform(&random) * (n - i) < left) sign = -sign, left--;
    r[i] = sign;
  }
}

// The smaller the number, the fewer runs; what is refused and what is believed lie within a factor of 2 of one in a million.
static void too_few_runs_are_a_pattern(void **state) {
  (void)state;
  double refused = 0, believed = 1, r[MOST];
  for (int n = 300; n <= MOST; n += 7)
    for (int changes = n / 2 - 60; changes < n / 2 - 30; changes++) {
      signs(changes, (uint64_t)n, n, r);
      double p = runs_p(r, n);
      if (!(p > 0.4e-6 && p < 2.5e-6) || ljung_box_p(r, n) < 1e-5) continue;
      if (pattern_is_believed(r, n))
        believed = fmin(believed, p);
      else
        refused = fmax(refused, p);
    }
  assert_true(refused < 1e-6 && refused > 0.8e-6);
  assert_true(believed >= 1e-6 && believed < 1.25e-6);
}

static void white_noise_is_certain_and_coloured_noise_is_not(void **state) {
  (void)state;
  int certain = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    double r[200], smooth[200];
    white(r, 200, 0.02, seed);
    Chosen c = ready(200, r, 0);
    certain += holds(&c, objective_of(&c));
    chosen_close(&c);
    smooth[0] = r[0];
    for (int i = 1; i < 200; i++) smooth[i] = 0.9 * smooth[i - 1] + 0.4 * r[i];
    assert_false(pattern_is_believed(smooth, 200));
  }
  assert_true(certain >= 19);
}

// ---------------------------------------------------------------- outliers

static bool so_many_outliers_are_believed(void *data, double count) {
  (void)data;
  enum { N = 300 };
  double r[N];
  Random random;
  random_seed(&random, 11);
  int left = (int)floor(count + 0.5);
  for (int i = 0; i < N; i++) {
    bool outlier = random_uniform(&random) * (N - i) < left;
    left -= outlier;
    r[i] = (outlier ? 0.06 : 0.02) * (random_uniform(&random) < 0.5 ? -1 : 1);
  }
  Chosen c = chosen_open(N, r, 0.03); // the Huber loss leaves the square at 1.345*0.03
  c.problem->options.loss = LOSS_HUBER;
  c.problem->options.floor_factor = 1e6;
  chosen_ready(&c);
  bool believed = holds(&c, objective_of(&c));
  chosen_close(&c);
  return believed;
}

static void outliers_are_at_most_a_third(void **state) {
  (void)state;
  assert_turns(so_many_outliers_are_believed, NULL, 100, 101);
}

// With the Huber loss the residuals, cut where it leaves the square, must be within the limit; the objective need not.
static bool cut_residuals_are_believed(void *data, double size) {
  double r[100];
  white(r, 100, 1, 3);
  double squares = 0;
  for (int i = 0; i < 100; i++) squares += r[i] * r[i];
  for (int i = 0; i < 100; i++)
    r[i] *= size * sqrt(200 / squares) * 0.02; // half the sum: size^2*100
  Chosen c = chosen_open(100, r, 0.02);
  c.problem->options.loss = LOSS_HUBER;
  c.problem->options.huber_limit = 1e6;
  chosen_ready(&c);
  *(double *)data = certificate_limit(c.weighting);
  bool believed = holds(&c, HUGE_VAL);
  chosen_close(&c);
  return believed;
}

static void an_objective_of_outliers_does_not_matter(void **state) {
  (void)state;
  double limit; // the noise is the given sigma, which is less than what differences show
  cut_residuals_are_believed(&limit, 2);
  assert_threshold(cut_residuals_are_believed, &limit, sqrt(limit / 100));
}

// ---------------------------------------------------------------- a motion with a wrong optimum

static bool certain_at(Evaluation *e, double p) {
  return certificate_holds(e->work, &e->spec, NULL, &p, evaluate_value(e->work, &e->spec, &p));
}

static void the_truth_is_certain_and_a_wrong_optimum_is_not(void **state) {
  (void)state;
  static const double NOISE[] = {0, 1e-6, 0.01, 0.1};
  for (int k = 0; k < 4; k++) {
    Hand *h = pendulum(NOISE[k], 15);
    Evaluation *e = evaluation_new(&h->problem);
    assert_true(certain_at(e, 10));
    for (double p = 1; p <= 40; p += 1.3)
      if (fabs(p - 10) > 0.5) assert_false(certain_at(e, p));
    evaluation_free(e);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- words

static void words_say_what_is_missing(void **state) {
  (void)state;
  double r[100];
  white(r, 100, 0.02, 3);
  FitResult result = {0};
  Chosen c = ready(100, r, 0);
  double limit = certificate_limit(c.weighting);
  result.problem = c.problem;
  result.floor = noise_objective(c.weighting, 1);
  certificate_explain_doubt(&result, c.weighting, CHOSEN_TRUTH, HUGE_VAL);
  assert_non_null(strstr(result.why, "no result"));
  certificate_explain_doubt(&result, c.weighting, CHOSEN_TRUTH, 0.99 * limit);
  assert_non_null(strstr(result.why, "pattern"));
  certificate_explain_doubt(&result, c.weighting, CHOSEN_TRUTH, 1.01 * limit);
  assert_non_null(strstr(result.why, "above"));
  certificate_explain(&result, c.weighting, "the test", 0.99 * limit);
  assert_non_null(strstr(result.why, "the test"));
  assert_non_null(strstr(result.why, "noise"));
  certificate_explain(&result, c.weighting, "the test", 0);
  assert_non_null(strstr(result.why, "no other optimum"));
  chosen_close(&c);
  c = ready(20, r, 0);
  certificate_explain_doubt(&result, c.weighting, CHOSEN_TRUTH, 1);
  assert_non_null(strstr(result.why, "too few samples"));
  chosen_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_means_a_ten_millionth_of_the_variation),
      cmocka_unit_test(exact_needs_more_samples_than_unknowns),
      cmocka_unit_test(data_that_do_not_change_prove_nothing),
      cmocka_unit_test(the_floor_is_the_noise_and_its_scatter),
      cmocka_unit_test(the_floor_of_too_few_samples_is_that_of_simulations),
      cmocka_unit_test(the_floor_over_less_data_is_lower),
      cmocka_unit_test(the_limit_is_the_noise_and_its_scatter),
      cmocka_unit_test(the_limit_grows_with_the_option),
      cmocka_unit_test(noise_needs_samples),
      cmocka_unit_test(noise_is_known_below_a_tenth_of_the_variation),
      cmocka_unit_test(unknown_noise_certifies_nothing),
      cmocka_unit_test(neighbours_that_agree_once_in_a_million_cases_are_a_pattern),
      cmocka_unit_test(too_few_runs_are_a_pattern),
      cmocka_unit_test(white_noise_is_certain_and_coloured_noise_is_not),
      cmocka_unit_test(outliers_are_at_most_a_third),
      cmocka_unit_test(an_objective_of_outliers_does_not_matter),
      cmocka_unit_test(the_truth_is_certain_and_a_wrong_optimum_is_not),
      cmocka_unit_test(words_say_what_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
