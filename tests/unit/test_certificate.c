// Each constant of the certificate is tested at both sides of its threshold; the rest are laws. The residuals of a channel are
// chosen: white noise, from which differences of the data tell the noise, and a slow wave that they do not see.
#include "search/certificate.h"

#include "chosen_residuals.h"
#include "num/distribution.h"
#include "num/noise.h"
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
  FitFacts facts;
  return certificate_holds(c->evaluation->work, c->spec, NULL, CHOSEN_TRUTH, objective, &facts);
}

static double objective_of(Chosen *c) {
  return evaluate_value(c->evaluation->work, c->spec, CHOSEN_TRUTH);
}

static void white(double *r, int n, double size, uint64_t seed) {
  Random random;
  random_seed(&random, seed);
  for (int i = 0; i < n; i++) r[i] = size * random_normal(&random);
}

// ---------------------------------------------------------------- several channels

// Channels y1, y2, ... of one model without states, whose residuals at the truth are chosen.
typedef struct Channels {
  int count, samples;
  double r[HAND_CHANNELS][2000];
  double sigma[HAND_CHANNELS]; // 0: not given
  double size[HAND_CHANNELS];  // of the motion; 0: 1
  FitOptions *options;         // NULL: the usual ones
  const double *weight;        // of samples; NULL: all 1
} Channels;

static FitFacts facts_of(const Channels *q) {
  static const char *const NAMES[] = {"y1", "y2", "y3", "y4"};
  Hand *h = hand_text("model Waves\n  parameter Real a = 1;\n  Real y1;\n  Real y2;\n  Real y3;\n"
                      "  Real y4;\nequation\n  y1 = a*sin(time);\n  y2 = a*sin(time);\n"
                      "  y3 = a*sin(time);\n  y4 = a*sin(time);\nend Waves;\n");
  HandData d = {.step = 0.05, .count = q->samples};
  for (int k = 0; k < q->count; k++) d.channels[k] = NAMES[k];
  Experiment *e = hand_experiment(h, d);
  hand_estimate(h, "a", -1, 1, -10, 10);
  if (q->options) h->problem.options = *q->options;
  for (int k = 0; k < q->count; k++) {
    Channel *c = &e->channels[k];
    double *y = ARENA_ARRAY(h->arena, double, q->samples);
    for (int i = 0; i < q->samples; i++) y[i] = c->y[i] - q->r[k][i];
    c->y = y;
    c->sigma_kind = q->sigma[k] > 0 ? SIGMA_NUMBER : SIGMA_UNKNOWN;
    c->sigma = q->sigma[k];
    c->sample_weight = q->weight;
  }
  Evaluation *v = evaluation_new(&h->problem);
  double objective = evaluate_value(v->work, &v->spec, CHOSEN_TRUTH);
  FitFacts f = certificate_facts(v->work, &v->spec, NULL, CHOSEN_TRUTH, objective);
  assert_true(f.known);
  assert_true(certificate_fits(&f) == (f.exact || (f.noise.holds && f.white.holds)));
  evaluation_free(v);
  hand_done(h);
  return f;
}

static double squares(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += r[i] * r[i];
  return sum;
}

// What is told of residuals does not depend on the weights of samples, except that those of weight 0 are left out.
static void residuals_are_tested_without_weights(void **state) {
  (void)state;
  static Channels q = {.count = 2, .samples = 400};
  static double weight[400], zero[400];
  for (int k = 0; k < 2; k++) white(q.r[k], q.samples, 0.01, 31 + (uint64_t)k);
  for (int i = 0; i < q.samples; i++) weight[i] = exp(3 * sin(i)), zero[i] = i < 300;
  FitFacts plain = facts_of(&q);
  q.weight = weight;
  FitFacts weighted = facts_of(&q);
  assert_close_relative(weighted.noise.ratio, plain.noise.ratio, 1e-9);
  assert_close_relative(weighted.noise.limit, plain.noise.limit, 1e-12);
  assert_close_relative(weighted.white.p, plain.white.p, 1e-6);
  assert_true(plain.noise.holds && weighted.noise.holds);
  for (int i = 300; i < q.samples; i++) q.r[0][i] += 5; // where nothing counts
  q.weight = NULL;
  assert_false(facts_of(&q).noise.holds);
  q.weight = zero;
  FitFacts cut = facts_of(&q);
  assert_true(cut.noise.holds && cut.white.holds && cut.noise.limit > plain.noise.limit);
}

// What differences show of the noise of a channel: its data are sin(time) - r.
static double noise_of(const Channels *q, int k) {
  double t[2000], y[2000];
  for (int i = 0; i < q->samples; i++) t[i] = 0.05 * i, y[i] = sin(t[i]) - q->r[k][i];
  return noise_deviation(t, y, q->samples);
}

// Degrees of freedom of a channel: its samples less its share of the one unknown.
static double freedom_of(const Channels *q) {
  return q->samples - 1.0 / q->count;
}

// White noise of 0.01 with a slow wave, so that the variance is `ratio` times that of the noise.
static void set_ratio(Channels *q, int k, double ratio) {
  double noise[2000], low = 0, high = 10;
  white(noise, q->samples, 0.01, (uint64_t)k + 3);
  for (int round = 0; round < 60; round++) {
    double size = (low + high) / 2;
    for (int i = 0; i < q->samples; i++) q->r[k][i] = noise[i] + size * sin(0.02 * i + k);
    double deviation = q->sigma[k] > 0 ? q->sigma[k] : noise_of(q, k);
    double now = squares(q->r[k], q->samples) / freedom_of(q) / (deviation * deviation);
    *(now < ratio ? &low : &high) = size;
  }
}

static double spread_of(double freedom) { // of the logarithm of the ratio, noise from differences
  return 2.25 / sqrt(freedom) * (1 + 3 / sqrt(freedom));
}

static double quantile(double level) { // of the normal law, by bisection
  double low = -10, high = 10;
  for (int k = 0; k < 80; k++)
    *(normal_below((low + high) / 2) < level ? &low : &high) = (low + high) / 2;
  return low;
}

// ---------------------------------------------------------------- what is exact

static bool is_exact(void *data, double share) {
  const Chosen *c = data;
  return certificate_is_exact(c->weighting, share * data_objective(c->weighting, 1));
}

// What simulations may be wrong by: 100 rel_tol, without states 100 rounding errors.
static void exact_means_the_errors_of_simulations(void **state) {
  (void)state;
  static const double REL_TOLS[] = {1e-8, 1e-5};
  Chosen c = ready(100, NULL, 0);
  assert_threshold(is_exact, &c, 1e-26);
  chosen_close(&c);
  for (int k = 0; k < 2; k++) {
    Hand *h = duffing(1, 0.01);
    h->problem.simulate.rel_tol = REL_TOLS[k];
    Evaluation *e = evaluation_new(&h->problem);
    c.weighting = e->spec.weighting;
    double limit = 1e4 * REL_TOLS[k] * REL_TOLS[k];
    assert_threshold(is_exact, &c, limit);
    assert_close_relative(certificate_numerical_floor(c.weighting),
                          limit * data_objective(c.weighting, 1), 1e-12);
    evaluation_free(e);
    hand_done(h);
  }
}

// A large value that does not change is no measure for a small one that does.
static void a_constant_channel_makes_nothing_exact(void **state) {
  (void)state;
  Channels c = {.count = 2, .samples = 100, .size = {1, 0}};
  for (int i = 0; i < 100; i++) c.r[0][i] = 0.1 * sin(0.1 * i), c.r[1][i] = sin(0.05 * i) - 1e6;
  FitFacts f = facts_of(&c); // y2 is sin(time) - r: constant, but for the motion that its model has
  assert_false(f.exact);
  assert_false(f.noise.holds && f.white.holds);
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
  assert_false(certificate_noise_tells(c.weighting));
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

// ---------------------------------------------------------------- the noise test

typedef struct Ratio { // of one channel or of all, what the others have
  Channels *q;
  int first, last; // channels that have the ratio of the question
  double scale;    // the question is the logarithm of the ratio in this unit; 0: the ratio
} Ratio;

static bool ratio_is_noise(void *data, double number) {
  const Ratio *a = data;
  double ratio = a->scale > 0 ? exp(number * a->scale) : number;
  for (int k = 0; k < a->q->count; k++)
    set_ratio(a->q, k, k >= a->first && k <= a->last ? ratio : 1.1);
  return facts_of(a->q).noise.holds;
}

// Noise from differences of orders 3 to 8: the logarithm of the ratio within 2.25 z/sqrt(M) (1 + 3/sqrt(M)), z at 1e-3.
static void the_limit_of_estimated_noise_is_its_scatter(void **state) {
  (void)state;
  static const int COUNTS[] = {60, 200, 2000};
  for (int k = 0; k < 3; k++) {
    Channels q = {.count = 1, .samples = COUNTS[k]};
    assert_threshold(ratio_is_noise, (&(Ratio){&q, 0, 0, spread_of(freedom_of(&q))}), 3.0902323);
  }
}

// By simulation (the 99.9 % quantile of this ratio): 3.3, 1.80, 1.17 for 60, 200, 2000 samples.
static void the_limit_is_that_of_simulated_noise(void **state) {
  (void)state;
  static const struct {
    int samples;
    double quantile;
  } SEEN[] = {{60, 3.3}, {100, 2.4}, {200, 1.80}, {500, 1.39}, {2000, 1.17}};
  for (int k = 0; k < 5; k++) {
    Channels q = {.count = 1, .samples = SEEN[k].samples};
    set_ratio(&q, 0, 1.2);
    double limit = facts_of(&q).noise.limit;
    assert_true(limit > 0.98 * SEEN[k].quantile && limit < 1.12 * SEEN[k].quantile);
  }
}

// Sigma given: the sum of squares is chi-square. With 100 degrees of freedom 149.449 is exceeded once in a thousand.
static void the_limit_of_given_noise_is_chi_square(void **state) {
  (void)state;
  Channels q = {.count = 1, .samples = 101, .sigma = {0.02}};
  assert_threshold(ratio_is_noise, (&(Ratio){&q, 0, 0, 0}), 1.49449);
}

// Each at 1e-3 by the number of channels.
static void one_channel_of_several_is_tested_at_its_share_of_the_level(void **state) {
  (void)state;
  static const double Z[] = {0, 3.0902323, 3.2905267, 3.4029329, 3.4807564}; // at 1e-3/channels
  for (int channels = 2; channels <= 4; channels++)
    for (int k = 0; k < channels; k++) {
      Channels q = {.count = channels, .samples = 150};
      double spread = spread_of(freedom_of(&q));
      assert_threshold(ratio_is_noise, (&(Ratio){&q, k, k, spread}), Z[channels]);
      set_ratio(&q, k, exp(1.5 * Z[channels] * spread));
      FitFacts f = facts_of(&q);
      assert_int_equal(f.noise.channel, k);
      assert_close_relative(f.noise.ratio, exp(1.5 * Z[channels] * spread), 1e-6);
      assert_close_relative(f.noise.limit, exp(Z[channels] * spread), 1e-6);
    }
}

// All a little too large: none by itself, but together. In units of the spread 0.4 + 0.85 z/sqrt(channels).
static void channels_are_tested_together(void **state) {
  (void)state;
  for (int channels = 2; channels <= 4; channels++) {
    Channels q = {.count = channels, .samples = 150};
    double spread = spread_of(freedom_of(&q)), z = 3.0902323;
    double limit = 0.4 + 0.85 * z / sqrt(channels);
    assert_threshold(ratio_is_noise, (&(Ratio){&q, 0, channels - 1, spread}), limit);
    FitFacts f = facts_of(&q); // of the last question, above the limit
    assert_int_equal(f.noise.channel, -1);
    assert_close_relative(f.noise.ratio, exp(1.01 * limit * spread), 1e-6);
    assert_close_relative(f.noise.limit, exp(limit * spread), 1e-6);
  }
}

static void channels_of_given_noise_are_tested_together(void **state) {
  (void)state;
  Channels q = {.count = 2, .samples = 60, .sigma = {0.02, 0.02}};
  double freedom = 2 * freedom_of(&q);
  assert_threshold(ratio_is_noise, (&(Ratio){&q, 0, 1, 0}),
                   chi_square_quantile(0.999, freedom) / freedom);
  assert_int_equal(facts_of(&q).noise.channel, -1);
  double one = chi_square_quantile(0.9995, freedom / 2) / (freedom / 2);
  Ratio second = {&q, 1, 1, 0};
  assert_true(ratio_is_noise(&second, 0.99 * one));
  assert_false(ratio_is_noise(&second, 1.01 * one));
}

// One objective over all channels would not see it.
static void a_small_channel_is_seen_beside_a_big_one(void **state) {
  (void)state;
  Channels q = {.count = 2, .samples = 200};
  white(q.r[0], 200, 0.1, 1);
  white(q.r[1], 200, 0.0001, 2);
  assert_true(facts_of(&q).noise.holds);
  for (int i = 0; i < 200; i++) q.r[1][i] += 0.0003 * sin(0.02 * i);
  FitFacts f = facts_of(&q);
  assert_false(f.noise.holds || certificate_fits(&f));
  assert_int_equal(f.noise.channel, 1);
}

// Errors of simulations belong to the noise: (100 rel_tol)^2 of the variance of the data.
static bool error_is_noise(void *data, double ratio) {
  Hand *h = duffing(1, 0);
  h->problem.simulate.rel_tol = 1e-4;
  h->experiments[0].channel_count = 1;
  Channel *c = &h->experiments[0].channels[0];
  double *y = ARENA_ARRAY(h->arena, double, c->count), mean = 0, variance = 0;
  memcpy(y, c->y, (size_t)c->count * sizeof *y);
  c->sigma_kind = SIGMA_NUMBER, c->sigma = *(double *)data;
  for (int i = 0; i < c->count; i++) mean += y[i] / c->count;
  for (int i = 0; i < c->count; i++) variance += (y[i] - mean) * (y[i] - mean) / c->count;
  double freedom = c->count - 2, noise = c->sigma * c->sigma + 1e-4 * variance;
  double size = sqrt(ratio * noise * freedom / c->count);
  for (int i = 0; i < c->count; i++) y[i] += i % 2 ? size : -size;
  c->y = y;
  Evaluation *e = evaluation_new(&h->problem);
  FitFacts f = certificate_facts(e->work, &e->spec, NULL, DUFFING_TRUTH,
                                 evaluate_value(e->work, &e->spec, DUFFING_TRUTH));
  evaluation_free(e);
  hand_done(h);
  return f.noise.holds;
}

static void errors_of_simulations_belong_to_the_noise(void **state) {
  (void)state;
  double limit = chi_square_quantile(0.999, DUFFING_SAMPLES - 2) / (DUFFING_SAMPLES - 2);
  assert_threshold(error_is_noise, (&(double){1e-6}), limit);
  assert_threshold(error_is_noise, (&(double){0.01}), limit);
}

// A sensor that shows the same number all the time, beside one that moves.
static FitFacts facts_beside_constant(double data, double model) {
  double r[200];
  white(r, 200, 0.02, 3);
  Hand *h = hand_text("model Still\n  parameter Real a = 1;\n  parameter Real b = 0;\n"
                      "  Real y(start = 0, fixed = true);\n  Real z;\nequation\n"
                      "  der(y) = a*cos(time);\n  z = b;\nend Still;\n");
  Experiment *e =
      hand_experiment(h, (HandData){.channels = {"y", "z"}, .step = 0.05, .count = 200});
  hand_estimate(h, "a", -1, 1, -10, 10);
  double *y = ARENA_ARRAY(h->arena, double, 200), *z = ARENA_ARRAY(h->arena, double, 200);
  for (int i = 0; i < 200; i++) y[i] = e->channels[0].y[i] - r[i], z[i] = data;
  e->channels[0].y = y, e->channels[1].y = z;
  e->p[hand_parameter(h, "b")] = model;
  Evaluation *v = evaluation_new(&h->problem);
  FitFacts f = certificate_facts(v->work, &v->spec, NULL, CHOSEN_TRUTH, 1);
  evaluation_free(v);
  hand_done(h);
  return f;
}

// Their pattern means nothing.
static bool constant_error_is_no_pattern(void *data, double error) {
  double value = *(double *)data;
  FitFacts f = facts_beside_constant(value, value * (1 + error));
  if (f.white.holds) assert_int_equal(f.white.channel, 0);
  return f.white.holds;
}

static void errors_of_simulations_are_no_pattern(void **state) {
  (void)state;
  double value = 5;
  assert_threshold(constant_error_is_no_pattern, &value, 1e-6); // 100 rel_tol
}

static void a_channel_that_does_not_change_is_compared_with_its_value(void **state) {
  (void)state;
  FitFacts f = facts_beside_constant(0, 0);
  assert_true(f.noise.holds && f.noise.channel == 0 && isfinite(f.noise.ratio));
  f = facts_beside_constant(5, 5 + 1e-6); // errors of simulations: rel_tol is 1e-8
  assert_true(f.noise.holds && f.white.holds && isfinite(f.noise.ratio));
  f = facts_beside_constant(5, 5 + 1e-4);
  assert_true(!f.noise.holds && f.noise.channel == 1 && isfinite(f.noise.ratio));
}

// No result whose objective is above it can pass the tests, and one that passes them is below.
static void the_limit_of_the_objective_is_that_of_the_tests(void **state) {
  (void)state;
  enum { N = 101 };
  double r[N];
  white(r, N, 0.02, 3);
  for (int given = 0; given < 2; given++) {
    Chosen c = ready(N, r, given ? 0.02 : 0);
    double noise = given ? 0.02 : c.evaluation->fitting->data->channels[0].noise;
    double ratio = given ? 1.49449 : exp(3.0902323 * spread_of(N - 1));
    double limit = ratio * (given ? 1 : noise * noise) * (N - 1) / 2;
    assert_close_relative(certificate_limit(c.weighting), limit, 1e-5);
    assert_true(holds(&c, objective_of(&c)) && holds(&c, 0.999 * limit));
    assert_false(holds(&c, 1.001 * limit));
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
  assert_close_relative(certificate_limit(c.weighting), 3 * before, 1e-12);
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

typedef struct Shown {
  double size;  // of the noise
  double share; // of the variation that differences take for noise
} Shown;

static bool noise_tells(Shown *s) {
  double r[200];
  white(r, 200, s->size, 5);
  Chosen c = ready(200, r, 0);
  bool known = certificate_noise_tells(c.weighting);
  s->share = noise_objective(c.weighting, 1) / data_objective(c.weighting, 1);
  chosen_close(&c);
  return known;
}

static void noise_tells_below_a_tenth_of_the_variation(void **state) {
  (void)state;
  Shown below = {0.01, 0}, above = {2, 0};
  while (above.size - below.size > 1e-9) {
    Shown middle = {(below.size + above.size) / 2, 0};
    *(noise_tells(&middle) ? &below : &above) = middle;
  }
  assert_close(below.share, 0.1, 1e-6);
  assert_close(above.share, 0.1, 1e-6);
  assert_true(below.share <= 0.1 && above.share > 0.1);
}

static bool given_noise_tells(void *data, double share) {
  double variance = *(const double *)data;
  Chosen c = ready(40, NULL, sqrt(share * variance)); // so few that the given sigma is the noise
  bool tells = certificate_noise_tells(c.weighting);
  chosen_close(&c);
  return tells;
}

static void the_same_holds_for_a_given_sigma(void **state) {
  (void)state;
  Chosen c = ready(40, NULL, 1);
  double variance = 2 * data_objective(c.weighting, 1) / 40;
  chosen_close(&c);
  assert_threshold(given_noise_tells, &variance, 0.1);
}

// Whatever the objective, a result is not certain where the noise cannot be told from the motion.
static void unknown_noise_certifies_nothing(void **state) {
  (void)state;
  double r[40];
  white(r, 40, 0.7, 5);
  Chosen c = ready(40, r, 0);
  c.problem->options.floor_factor = 1e6;
  assert_false(certificate_noise_tells(c.weighting));
  assert_false(holds(&c, objective_of(&c)));
  chosen_close(&c);
}

// ---------------------------------------------------------------- patterns

// Noise with an echo after some samples: the stronger, the less it looks white.
static void echo(double strength, int lag, int n, uint64_t seed, double *r) {
  double e[2010];
  white(e, n + lag, 0.02, seed);
  for (int i = 0; i < n; i++) r[i] = e[i + lag] + strength * e[i];
}

// With the p that is asked for.
static void echo_of_p(double p, int lag, int n, uint64_t seed, double *r) {
  double low = 0, high = 1;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    echo(middle, lag, n, seed, r);
    *(white_p(r, n) > p ? &low : &high) = middle;
  }
  assert_close_relative(white_p(r, n), p, 1e-3);
}

// With the correlation of neighbours that is asked for.
static void echo_of_correlation(double rho, int n, uint64_t seed, double *r) {
  double low = -1, high = 1;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    echo(middle, 1, n, seed, r);
    *(autocorrelation(r, n, 1) < rho ? &low : &high) = middle;
  }
  assert_close(autocorrelation(r, n, 1), rho, 1e-6);
}

typedef struct Echo {
  int lag, samples, channels;
  uint64_t seed;
} Echo;

// The others are white.
static FitFacts facts_of_pattern(const Echo *q, double p) {
  Channels c = {.count = q->channels, .samples = q->samples};
  for (int k = 0; k < q->channels; k++) white(c.r[k], q->samples, 0.02, 100 + (uint64_t)k);
  echo_of_p(p, q->lag, q->samples, q->seed, c.r[q->channels - 1]);
  FitFacts f = facts_of(&c);
  assert_int_equal(f.white.channel, q->channels - 1);
  assert_close_relative(f.white.p, p, 1e-3);
  return f;
}

static bool pattern_is_refused(void *data, double p) {
  FitFacts f = facts_of_pattern(data, p);
  assert_true(f.white.holds || !f.white.clean);
  return !f.white.holds;
}

static bool pattern_is_seen(void *data, double p) {
  return !facts_of_pattern(data, p).white.clean;
}

// An echo that neighbours do not show: refused once in a million, said at the level of three tests of each channel.
static void weak_patterns_are_said_and_strong_ones_refused(void **state) {
  (void)state;
  for (int channels = 1; channels <= 4; channels++) {
    Echo q = {5, MOST, channels, 7};
    assert_threshold(pattern_is_refused, &q, 1e-6);
    assert_threshold(pattern_is_seen, &q, 1e-3 / 3 / channels);
  }
}

// So few samples that neighbours must be correlated by more than 0.2 to have this p.
static void patterns_of_neighbours_are_refused_at_the_level_of_all_tests(void **state) {
  (void)state;
  for (int channels = 1; channels <= 4; channels++) {
    Echo q = {1, 120, channels, 7};
    assert_threshold(pattern_is_refused, &q, 1e-3 / 3 / channels);
  }
}

// Noise that is weakly correlated, and too unlikely to be white, but not once in a million.
static bool correlation_is_believed(void *data, double rho) {
  Channels c = {.count = 1, .samples = MOST};
  double sign = *(double *)data, p = 0;
  for (uint64_t seed = 1; seed < 50 && !(p < 2e-4 && p > 2e-6); seed++) {
    echo_of_correlation(sign * rho, MOST, seed, c.r[0]);
    p = white_p(c.r[0], MOST);
  }
  FitFacts f = facts_of(&c);
  assert_close_relative(f.white.p, p, 1e-6);
  assert_close(f.white.correlation, sign * rho, 1e-6);
  assert_false(f.white.clean);
  return f.white.holds;
}

enum { FEW = 100 };

// Whether FEW residuals of this size, in given sigmas, with a pattern of this probability are believed to be noise.
static bool pattern_is_believed(double ratio, double p) {
  static Channels c = {.count = 1, .samples = FEW};
  double low = 0, high = 0.45;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    echo_of_correlation(middle, FEW, 3, c.r[0]);
    *(white_p(c.r[0], FEW) > p ? &low : &high) = middle;
  }
  assert_close_relative(white_p(c.r[0], FEW), p, 0.05);
  double squares = 0;
  for (int i = 0; i < FEW; i++) squares += c.r[0][i] * c.r[0][i];
  c.sigma[0] = sqrt(squares / (FEW - 1) / ratio);
  FitFacts f = facts_of(&c);
  assert_close_relative(f.noise.ratio, ratio, 1e-6);
  assert_true(f.noise.holds && f.white.correlation > 0.2);
  return f.white.holds;
}

static bool size_is_usual(void *data, double ratio) {
  (void)data;
  return pattern_is_believed(ratio, 1e-3);
}

static bool pattern_is_usual(void *data, double p) {
  return pattern_is_believed(*(double *)data, p);
}

// A pattern that is too likely to count by itself does where residuals are larger than they are in 19 of 20 cases.
static void size_and_pattern_count_together(void **state) {
  (void)state;
  double limit = chi_square_quantile(0.95, FEW - 1) / (FEW - 1), above = 1.1 * limit, below = 1;
  assert_threshold(size_is_usual, NULL, limit);
  assert_turns(pattern_is_usual, &above, 1.2 * 1e-2 / 3, 0.8 * 1e-2 / 3);
  assert_turns(pattern_is_usual, &below, 1.2 * 1e-3 / 3, 0.8 * 1e-3 / 3);
}

// Too few residuals show neither a pattern nor that there is none.
static void few_residuals_have_no_pattern_to_look_for(void **state) {
  (void)state;
  Channels c = {.count = 1, .samples = 19, .sigma = {0.1}};
  white(c.r[0], 19, 0.1, 3);
  FitFacts f = facts_of(&c);
  assert_true(isnan(f.white.p) && f.white.holds && !f.white.clean);
  c.samples = 20;
  f = facts_of(&c);
  assert_true(f.white.p > 0 && f.white.clean);
}

static void weak_patterns_have_correlations_below_a_fifth(void **state) {
  (void)state;
  double sign = 1;
  assert_threshold(correlation_is_believed, &sign, 0.2);
  sign = -1;
  assert_threshold(correlation_is_believed, &sign, 0.2);
}

// Neighbours of all channels, each too weakly correlated by itself. u: correlation times sqrt(samples), by channel.
static FitFacts facts_of_weak(const double *u, int channels) {
  Channels c = {.count = channels, .samples = MOST};
  for (int k = 0; k < channels; k++)
    echo_of_correlation(u[k] / sqrt(MOST), MOST, 20 + (uint64_t)k, c.r[k]);
  return facts_of(&c);
}

static bool together_is_refused(void *data, double p) {
  (void)data;
  double u = -quantile(p) * 2 / 4;
  FitFacts f = facts_of_weak((double[]){u, u, u, u}, 4);
  assert_false(f.white.clean);
  assert_int_equal(f.white.channel, -1);
  assert_close_relative(f.white.p, p, 1e-3);
  assert_close(f.white.correlation, u / sqrt(MOST), 1e-6);
  return !f.white.holds;
}

static bool together_is_seen(void *data, double p) {
  (void)data;
  double u = -quantile(p) * 2 / 4;
  FitFacts f = facts_of_weak((double[]){u, u, u, u}, 4);
  assert_true(f.white.holds);
  return !f.white.clean;
}

static void channels_are_looked_at_together(void **state) {
  (void)state;
  assert_threshold(together_is_refused, NULL, 1e-6);
  assert_threshold(together_is_seen, NULL, 1e-3);
  FitFacts f = facts_of_weak((double[]){-1.8, -1.8, -1.8, -1.8}, 4); // unknowns alone can do this
  assert_true(f.white.holds && f.white.clean);
}

// One channel that is nearly a pattern does not hide that all together are one.
static void the_test_that_is_nearest_to_its_level_decides(void **state) {
  (void)state;
  double u = -quantile(0.002 / 2), rest = (-quantile(5e-4) * 2 - u) / 3;
  FitFacts f = facts_of_weak((double[]){u, rest, rest, rest}, 4);
  assert_true(f.white.holds);
  assert_int_equal(f.white.channel, -1);
  assert_false(f.white.clean);
}

// As many as would tell the same if they were independent; patterns that are none do not count.
static void correlated_samples_count_as_fewer(void **state) {
  (void)state;
  Channels c = {.count = 2, .samples = MOST};
  white(c.r[0], MOST, 0.02, 1);
  echo_of_correlation(0.45, MOST, 2, c.r[1]);
  assert_close(facts_of(&c).effective, MOST + MOST * (1 - 0.45 * 0.45) / (1 + 0.45 * 0.45), 1e-3);
  echo_of_correlation(-0.45, MOST, 2, c.r[1]); // tells more, but not for sure
  assert_close(facts_of(&c).effective, 2 * MOST, 1e-9);
  echo_of_correlation(0.1, MOST, 2, c.r[1]);
  assert_close(facts_of(&c).effective, 2 * MOST, 1e-9);
  for (int i = 0; i < MOST; i++) c.r[1][i] = 0.02 + 1e-9 * i;
  assert_close(facts_of(&c).effective, MOST * (1 + 0.0050 / 1.995), 1);
}

static void white_noise_fits_and_coloured_noise_does_not(void **state) {
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
    Channels coloured = {.count = 1, .samples = 200};
    memcpy(coloured.r[0], smooth, sizeof smooth);
    assert_false(facts_of(&coloured).white.holds);
  }
  assert_true(certain >= 19);
}

// Fits whose residuals are white noise, less what the one unknown takes of it.
static int refused_of(int trials, int n, int *noise, int *pattern) {
  double r[2000], s2 = 0, t[2000];
  int refused = 0;
  Chosen c = chosen_open(n, NULL, 0);
  double *y = c.y;
  for (int i = 0; i < n; i++) t[i] = sin(0.05 * i), s2 += t[i] * t[i];
  for (int k = 0; k < trials; k++) {
    double product = 0;
    white(r, n, 0.02, 1000 + (uint64_t)(n * 10000 + k));
    for (int i = 0; i < n; i++) product += r[i] * t[i];
    for (int i = 0; i < n; i++) y[i] = t[i] - r[i] + product / s2 * t[i];
    chosen_ready(&c);
    FitFacts f = certificate_facts(c.evaluation->work, c.spec, NULL, CHOSEN_TRUTH, 1);
    refused += !certificate_fits(&f);
    *noise += !f.noise.holds, *pattern += !f.white.holds;
    evaluation_free(c.evaluation);
  }
  c.evaluation = NULL;
  chosen_close(&c);
  return refused;
}

static void right_fits_are_refused_once_in_some_hundred_cases(void **state) {
  (void)state;
  static const int COUNTS[] = {30, 60, 200, 2000}, TRIALS[] = {6000, 6000, 6000, 2000};
  int all = 0, noise = 0, pattern = 0;
  for (int k = 0; k < 4; k++) {
    int refused = refused_of(TRIALS[k], COUNTS[k], &noise, &pattern);
    assert_true(refused <= TRIALS[k] / 200);
    all += refused;
  }
  assert_in_range(all, 20, 60); // of 20000
  assert_in_range(noise, 8, 40);
  assert_in_range(pattern, 8, 40);
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
  FitFacts f;
  return certificate_holds(e->work, &e->spec, NULL, &p, evaluate_value(e->work, &e->spec, &p), &f);
}

static void the_truth_fits_and_a_wrong_optimum_does_not(void **state) {
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_means_the_errors_of_simulations),
      cmocka_unit_test(residuals_are_tested_without_weights),
      cmocka_unit_test(a_constant_channel_makes_nothing_exact),
      cmocka_unit_test(exact_needs_more_samples_than_unknowns),
      cmocka_unit_test(data_that_do_not_change_prove_nothing),
      cmocka_unit_test(the_floor_is_the_noise_and_its_scatter),
      cmocka_unit_test(the_floor_of_too_few_samples_is_that_of_simulations),
      cmocka_unit_test(the_floor_over_less_data_is_lower),
      cmocka_unit_test(the_limit_of_estimated_noise_is_its_scatter),
      cmocka_unit_test(the_limit_is_that_of_simulated_noise),
      cmocka_unit_test(the_limit_of_given_noise_is_chi_square),
      cmocka_unit_test(one_channel_of_several_is_tested_at_its_share_of_the_level),
      cmocka_unit_test(channels_are_tested_together),
      cmocka_unit_test(channels_of_given_noise_are_tested_together),
      cmocka_unit_test(a_small_channel_is_seen_beside_a_big_one),
      cmocka_unit_test(errors_of_simulations_belong_to_the_noise),
      cmocka_unit_test(a_channel_that_does_not_change_is_compared_with_its_value),
      cmocka_unit_test(errors_of_simulations_are_no_pattern),
      cmocka_unit_test(the_limit_of_the_objective_is_that_of_the_tests),
      cmocka_unit_test(the_limit_grows_with_the_option),
      cmocka_unit_test(noise_needs_samples),
      cmocka_unit_test(noise_tells_below_a_tenth_of_the_variation),
      cmocka_unit_test(the_same_holds_for_a_given_sigma),
      cmocka_unit_test(unknown_noise_certifies_nothing),
      cmocka_unit_test(weak_patterns_are_said_and_strong_ones_refused),
      cmocka_unit_test(patterns_of_neighbours_are_refused_at_the_level_of_all_tests),
      cmocka_unit_test(weak_patterns_have_correlations_below_a_fifth),
      cmocka_unit_test(size_and_pattern_count_together),
      cmocka_unit_test(few_residuals_have_no_pattern_to_look_for),
      cmocka_unit_test(channels_are_looked_at_together),
      cmocka_unit_test(the_test_that_is_nearest_to_its_level_decides),
      cmocka_unit_test(correlated_samples_count_as_fewer),
      cmocka_unit_test(white_noise_fits_and_coloured_noise_does_not),
      cmocka_unit_test(right_fits_are_refused_once_in_some_hundred_cases),
      cmocka_unit_test(outliers_are_at_most_a_third),
      cmocka_unit_test(an_objective_of_outliers_does_not_matter),
      cmocka_unit_test(the_truth_fits_and_a_wrong_optimum_does_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
