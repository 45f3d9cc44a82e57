// A study with known truth tells what theory predicts.
#include "study/recover.h"

#include "known_truth.h"
#include "study/random_start.h"

// x' = -k*x + b from x = 2, linear enough for theory to hold.
static const char DECAY[] = "model Decay\n"
                            "  parameter Real k = 0.5;\n  parameter Real b = 2;\n"
                            "  Real x(start = 2, fixed = true);\n"
                            "equation\n  der(x) = b - k*x;\nend Decay;\n";

static Known decay(const char *options) {
  Known k = {.text = DECAY,
             .measured = {"x"},
             .stop = 5,
             .step = 0.05,
             .estimate = "k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}",
             .truth = {0.8, 2.4},
             .options = options};
  known_open(&k);
  return k;
}

static Recover *recover(const Known *k, bool random_starts) {
  Err err = {0};
  Recover *r = recover_run(k->problem, k->truth, random_starts, NULL, NULL, &err);
  if (!r) print_error("%s\n", err.text);
  assert_non_null(r);
  return r;
}

static void spread_and_coverage_are_as_theory_predicts(void **state) {
  (void)state;
  static const char *const WORDS[] = {
      "method: lm\noptions: {noise: 0.02, noise_kind: additive, trials: 300}",
      "method: lm\noptions: {noise: 0.02, noise_kind: proportional, trials: 300}"};
  for (int m = 0; m < 2; m++) {
    Known k = decay(WORDS[m]);
    Recover *r = recover(&k, false);
    assert_int_equal(r->done, 300);
    assert_int_equal(r->succeeded, 300);
    assert_int_equal(r->false_certain, 0);
    for (int i = 0; i < 2; i++) {
      const RecoverParameter *q = &r->parameters[i];
      assert_close(q->truth, k.truth[i], 0);
      assert_close(q->bias, q->mean - q->truth, 1e-15);
      assert_true(fabs(q->bias_t) < 4);
      assert_close_relative(q->spread, q->predicted, 0.15); // 4 % for one sigma
      assert_close(q->coverage, 0.95, 0.04);                // 1.3 % for one sigma
    }
    recover_free(r);
    known_close(&k);
  }
}

static void twice_the_noise_makes_twice_the_spread(void **state) {
  (void)state;
  Known one = decay("method: lm\noptions: {noise: 0.01, noise_kind: additive, trials: 20}");
  Known two = decay("method: lm\noptions: {noise: 0.02, noise_kind: additive, trials: 20}");
  Recover *a = recover(&one, false), *b = recover(&two, false);
  for (int i = 0; i < 2; i++)
    assert_close_relative(b->parameters[i].spread, 2 * a->parameters[i].spread, 0.05);
  recover_free(a);
  recover_free(b);
  known_close(&one);
  known_close(&two);
}

static void a_trial_is_the_same_whatever_comes_behind_it(void **state) {
  (void)state;
  Known few = decay("method: lm\noptions: {noise: 0.02, trials: 3, seed: 5}");
  Known more = decay("method: lm\noptions: {noise: 0.02, trials: 6, seed: 5}");
  Known other = decay("method: lm\noptions: {noise: 0.02, trials: 3, seed: 6}");
  Recover *a = recover(&few, false), *b = recover(&more, false), *c = recover(&other, false);
  for (int i = 0; i < 6; i++) {
    assert_close(a->estimates[i], b->estimates[i], 0);
    assert_true(a->estimates[i] != c->estimates[i]);
  }
  recover_free(a);
  recover_free(b);
  recover_free(c);
  known_close(&few);
  known_close(&more);
  known_close(&other);
}

static void random_starts_find_the_same_with_the_same_noise(void **state) {
  (void)state;
  Known k = decay("options: {noise: 0.02, trials: 5}");
  Recover *a = recover(&k, false), *b = recover(&k, true);
  assert_int_equal(b->succeeded, 5);
  for (int i = 0; i < 10; i++) assert_close_relative(a->estimates[i], b->estimates[i], 1e-5);
  recover_free(a);
  recover_free(b);
  known_close(&k);
}

static void exact_data_give_the_truth(void **state) {
  (void)state;
  Known k = decay("method: lm\noptions: {noise: 0, trials: 1}");
  Recover *r = recover(&k, false);
  assert_int_equal(r->succeeded, 1);
  for (int i = 0; i < 2; i++) assert_close_relative(r->estimates[i], k.truth[i], 1e-7);
  recover_free(r);
  known_close(&k);
}

static void the_truth_is_that_of_the_model_unless_another_is_given(void **state) {
  (void)state;
  Err err = {0};
  Known k = decay("method: lm\noptions: {noise: 0, trials: 1}");
  Recover *r = recover_run(k.problem, NULL, false, NULL, NULL, &err);
  assert_non_null(r);
  assert_close(r->parameters[0].truth, 0.5, 0); // the search begins at 0.7
  assert_close(r->parameters[1].truth, 2, 0);
  assert_close_relative(r->estimates[0], 0.5, 1e-7);
  recover_free(r);
  known_close(&k);
}

// A search that starts beside a wrong minimum of the pendulum.
static void a_wrong_minimum_is_no_success(void **state) {
  (void)state;
  Known k = {.model = "models/pendulum.mo",
             .measured = {"theta"},
             .stop = 50,
             .step = 0.1,
             .estimate = "p: {start: 14.7, min: 1, max: 100}",
             .truth = {10},
             .options = "method: lm\noptions: {noise: 0.05, noise_kind: additive, trials: 2}"};
  known_open(&k);
  Recover *r = recover(&k, false);
  assert_int_equal(r->done, 2);
  assert_int_equal(r->succeeded, 0);
  assert_int_equal(r->certain, 0);
  assert_true(r->objectives[0] > 2 * r->objectives_truth[0]);
  assert_true(isnan(r->parameters[0].mean) && isnan(r->parameters[0].coverage));
  recover_free(r);
  known_close(&k);
}

static bool stop_after_two(void *data, const Recover *r) {
  ++*(int *)data;
  return r->done < 2;
}

static void the_listener_can_stop_it(void **state) {
  (void)state;
  int calls = 0;
  Err err = {0};
  Known k = decay("method: lm\noptions: {noise: 0.02, trials: 50}");
  Recover *r = recover_run(k.problem, k.truth, false, stop_after_two, &calls, &err);
  assert_non_null(r);
  assert_int_equal(r->done, 2);
  assert_true(calls > 2); // also during trials
  assert_true(isfinite(r->parameters[0].mean));
  recover_free(r);
  known_close(&k);
}

static void assert_refused(const Known *k, const double *truth, bool random_starts,
                           const char *message) {
  Err err = {0};
  assert_null(recover_run(k->problem, truth, random_starts, NULL, NULL, &err));
  assert_string_equal(err.text, message);
  assert_int_equal(err.code, ERR_VALUE);
}

static void what_cannot_be_studied_is_refused(void **state) {
  (void)state;
  Known k = decay("");
  assert_refused(
      &k, (double[]){0.01, 1}, false,
      "the truth of k, 0.01, is outside its bounds [0.05, 5]; give another truth, or wider bounds");
  k.problem->unknowns[1].max = HUGE_VAL;
  assert_refused(&k, (double[]){0.1, 1}, true,
                 "random starts need finite bounds of all parameters; give min and max to b");
  k.problem->unknowns[1].max = 10;
  known_close(&k);
}

static void set_sigma(const Known *k, SigmaKind kind, double sigma) {
  Channel *c = &k->problem->experiments[0].channels[0];
  c->sigma_kind = kind, c->sigma = sigma;
}

// Weighted by their own residuals all results have the same V.
static void estimated_sigmas_are_compared_by_their_likelihood(void **state) {
  (void)state;
  Known k = {.model = "models/pendulum.mo",
             .measured = {"theta"},
             .stop = 50,
             .step = 0.1,
             .estimate = "p: {start: 14.7, min: 1, max: 100}",
             .truth = {10},
             .options = "method: lm\noptions: {noise: 0.05, noise_kind: additive, trials: 2}"};
  known_open(&k);
  set_sigma(&k, SIGMA_ESTIMATED, 0);
  Recover *r = recover(&k, false); // ends at a wrong minimum
  assert_int_equal(r->done, 2);
  assert_int_equal(r->succeeded, 0);
  assert_true(r->objectives[0] > r->objectives_truth[0] + 100);
  recover_free(r);
  static const char *const OPTIONS[] = {
      "method: lm\noptions: {noise: 0.02, noise_kind: additive, trials: 5}",
      "method: lm\noptions: {noise: 0, trials: 5}"}; // sigma of errors of the simulation alone
  for (int i = 0; i < 2; i++) {
    Known d = decay(OPTIONS[i]);
    set_sigma(&d, SIGMA_ESTIMATED, 0);
    r = recover(&d, true);
    assert_int_equal(r->succeeded, 5);
    recover_free(r);
    known_close(&d);
  }
  known_close(&k);
}

// The noise that sigma promises makes honest intervals, twice as much does not, and the study knows why.
static void noise_can_be_that_of_sigma(void **state) {
  (void)state;
  Known k = decay("method: lm\noptions: {noise_kind: sigma, trials: 300}");
  Known twice = decay("method: lm\noptions: {noise: 0.02, noise_kind: additive, trials: 100}");
  const Channel *c = &k.problem->experiments[0].channels[0];
  double sum = 0;
  for (int i = 0; i < c->count; i++) sum += pow(k.values.y[0][i], 2);
  double sigma = 0.01 * sqrt(sum / c->count);
  assert_refused(&k, k.truth, false,
                 "noise_kind sigma needs the sigma of every channel, and x has none; give it under "
                 "'measure', or choose noise_kind additive or proportional");
  set_sigma(&k, SIGMA_NUMBER, sigma);
  set_sigma(&twice, SIGMA_NUMBER, sigma);
  Recover *a = recover(&k, false), *b = recover(&twice, false);
  assert_close(a->noise_over_sigma, 1, 1e-12);
  assert_close_relative(b->noise_over_sigma, 2.0, 1e-6);
  assert_string_equal(b->noisy_channel, "x");
  for (int i = 0; i < 2; i++) {
    assert_close(a->parameters[i].coverage, 0.95, 0.04);
    assert_close_relative(a->parameters[i].spread, a->parameters[i].predicted, 0.15);
    assert_true(b->parameters[i].coverage < 0.85);
  }
  recover_free(a);
  recover_free(b);
  known_close(&k);
  known_close(&twice);
}

static void data_relative_sigma_follows_the_data(void **state) {
  (void)state;
  Known k = decay("");
  Random random;
  Channel *c = &k.problem->experiments[0].channels[0];
  double sum = 0, again = 0;
  c->sigma_kind = SIGMA_RELATIVE;
  for (int i = 0; i < c->count; i++) sum += c->y[i] * c->y[i];
  c->sigma = 0.1 * sqrt(sum / c->count);
  random_seed(&random, 1);
  Problem *loud = problem_with_samples(k.problem, &k.values, NOISE_ADDITIVE, 3, &random, k.arena);
  const Channel *d = &loud->experiments[0].channels[0];
  for (int i = 0; i < d->count; i++) again += d->y[i] * d->y[i];
  assert_close_relative(d->sigma, 0.1 * sqrt(again / d->count), 1e-12);
  assert_true(d->sigma > 2 * c->sigma);
  known_close(&k);
}

static void random_starts_fill_the_bounds(void **state) {
  (void)state;
  Known k = decay("");
  Random random;
  double x[2], least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {0, 0};
  int low = 0;
  random_seed(&random, 1);
  for (int i = 0; i < 2000; i++) {
    random_start(k.problem, &random, x);
    for (int j = 0; j < 2; j++) {
      assert_true(x[j] >= k.problem->unknowns[j].min && x[j] <= k.problem->unknowns[j].max);
      least[j] = fmin(least[j], x[j]), most[j] = fmax(most[j], x[j]);
    }
    low += x[0] < sqrt(0.05 * 5); // two decades: half of the points are below the geometric mean
  }
  assert_in_range(low, 900, 1100);
  assert_true(least[0] < 0.052 && most[0] > 4.9 && least[1] < 0.11 && most[1] > 9.9);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spread_and_coverage_are_as_theory_predicts),
      cmocka_unit_test(twice_the_noise_makes_twice_the_spread),
      cmocka_unit_test(a_trial_is_the_same_whatever_comes_behind_it),
      cmocka_unit_test(random_starts_find_the_same_with_the_same_noise),
      cmocka_unit_test(exact_data_give_the_truth),
      cmocka_unit_test(the_truth_is_that_of_the_model_unless_another_is_given),
      cmocka_unit_test(a_wrong_minimum_is_no_success),
      cmocka_unit_test(the_listener_can_stop_it),
      cmocka_unit_test(what_cannot_be_studied_is_refused),
      cmocka_unit_test(estimated_sigmas_are_compared_by_their_likelihood),
      cmocka_unit_test(noise_can_be_that_of_sigma),
      cmocka_unit_test(data_relative_sigma_follows_the_data),
      cmocka_unit_test(random_starts_fill_the_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
