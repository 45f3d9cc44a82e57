#include "residual/measured_data.h"

#include "chosen_residuals.h"
#include "swings.h"

static void noise(double *r, int n, double size) {
  Random random;
  random_seed(&random, 9);
  for (int i = 0; i < n; i++) r[i] = size * random_normal(&random);
}

static const ChannelFacts *facts_of(Chosen *c) {
  return channel_facts(measured_data_new(c->hand->arena, c->problem), 0, 0);
}

static void channels_of_all_experiments_are_numbered_in_order(void **state) {
  (void)state;
  Hand *h = duffing(3, 0);
  MeasuredData *d = measured_data_new(h->arena, &h->problem);
  int number = 0;
  for (int e = 0; e < 3; e++)
    for (int c = 0; c < 2; c++) {
      assert_int_equal(channel_number(d, e, c), number);
      assert_ptr_equal(channel_facts(d, e, c), &d->channels[number++]);
    }
  assert_int_equal(d->channel_count, number);
  hand_done(h);
}

static void noise_shows_in_differences_whatever_the_motion(void **state) {
  (void)state;
  enum { N = 400 };
  double r[N];
  static const double SIZES[] = {0, 1e-4, 0.01, 0.3};
  for (int k = 0; k < 4; k++) {
    noise(r, N, SIZES[k]);
    Chosen c = chosen_open(N, r, 0);
    assert_close(facts_of(&c)->noise, SIZES[k], 0.15 * SIZES[k] + 1e-6);
    chosen_close(&c);
  }
}

static void outliers_are_no_noise_where_the_loss_is_robust(void **state) {
  (void)state;
  enum { N = 400 };
  double r[N];
  noise(r, N, 0.01);
  for (int i = 7; i < N; i += 40) r[i] += 5;
  for (int robust = 0; robust < 2; robust++) {
    Chosen c = chosen_open(N, r, 0);
    if (robust) c.problem->options.loss = LOSS_HUBER;
    double found = facts_of(&c)->noise;
    assert_true(robust ? fabs(found - 0.01) < 0.005 : found > 0.5);
    chosen_close(&c);
  }
}

// Of sin(w t) over whole periods it is w; noise does not make it faster.
static void the_frequency_is_that_of_the_motion(void **state) {
  (void)state;
  enum { N = 1000 };
  double r[N];
  static const double W[] = {0.5, 1, 3};
  for (int k = 0; k < 3; k++)
    for (int noisy = 0; noisy < 2; noisy++) {
      noise(r, N, noisy ? 0.02 : 0);
      Chosen c = chosen_open(N, r, 0);
      for (int i = 0; i < N; i++) c.y[i] = 2 + sin(W[k] * c.channel->t[i]) - r[i];
      const ChannelFacts *f = facts_of(&c);
      assert_close_relative(f->frequency, W[k], 0.1);
      chosen_close(&c);
    }
}

static void data_at_rest_have_one_period(void **state) {
  (void)state;
  Chosen c = chosen_open(101, NULL, 0);
  for (int i = 0; i < 101; i++) c.y[i] = 3;
  const ChannelFacts *f = facts_of(&c);
  assert_close_relative(f->frequency, 2 * acos(-1) / 5, 1e-12);
  assert_close(f->mean, 3, 1e-12);
  chosen_close(&c);
}

// Weights of the sum are 1 each, those of the integral add up to the time that the samples span.
// Whatever the number: 0.3 has no end in binary.
static void data_that_do_not_change_have_no_variance(void **state) {
  (void)state;
  double r[60];
  for (int offset = 0; offset < 2; offset++) {
    noise(r, 60, offset ? 1e-3 : 0);
    Chosen c = chosen_open(60, NULL, 0);
    for (int i = 0; i < 60; i++) c.y[i] = offset ? 1e6 + r[i] : 0.3;
    chosen_ready(&c);
    const ChannelFacts *f = &c.evaluation->fitting->data->channels[0];
    double squares = 0, mean = 0;
    for (int i = 0; i < 60; i++) mean += r[i] / 60;
    for (int i = 0; i < 60; i++) squares += (r[i] - mean) * (r[i] - mean) / 60;
    if (offset)
      assert_close_relative(f->variance, squares, 1e-5);
    else
      assert_true(f->variance == 0 && f->mean == 0.3 && data_objective(c.weighting, 1) == 0);
    chosen_close(&c);
  }
}

static void the_criterion_is_a_sum_or_an_integral(void **state) {
  (void)state;
  for (int integral = 0; integral < 2; integral++) {
    Chosen c = chosen_open(101, NULL, 0);
    double sum = 0;
    if (integral) c.problem->options.criterion = CRITERION_INTEGRAL;
    const ChannelFacts *f = facts_of(&c);
    for (int i = 0; i < 101; i++) sum += f->quadrature[i];
    assert_close_relative(sum, integral ? 5.0 : 101.0, 1e-12);
    chosen_close(&c);
  }
}

static void noise_is_given_when_all_channels_say_it(void **state) {
  (void)state;
  Hand *h = duffing(2, 0);
  assert_false(noise_is_given(&h->problem));
  int given = 0;
  for (int e = 0; e < 2; e++)
    for (int c = 0; c < 2; c++) {
      h->experiments[e].channels[c].sigma_kind = given % 2 ? SIGMA_RELATIVE : SIGMA_NUMBER;
      assert_true(noise_is_given(&h->problem) == (++given == 4));
    }
  h->experiments[0].channels[1].sigma_kind = SIGMA_ESTIMATED;
  assert_false(noise_is_given(&h->problem));
  hand_done(h);
}

static void samples_are_counted_over_the_horizon(void **state) {
  (void)state;
  Hand *h = duffing(2, 0);
  assert_true(sample_count(&h->problem, 1) == 4 * DUFFING_SAMPLES);
  assert_true(sample_count(&h->problem, 0.5) == 4 * (DUFFING_SAMPLES / 2 + 1));
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(channels_of_all_experiments_are_numbered_in_order),
      cmocka_unit_test(noise_shows_in_differences_whatever_the_motion),
      cmocka_unit_test(outliers_are_no_noise_where_the_loss_is_robust),
      cmocka_unit_test(the_frequency_is_that_of_the_motion),
      cmocka_unit_test(data_at_rest_have_one_period),
      cmocka_unit_test(data_that_do_not_change_have_no_variance),
      cmocka_unit_test(the_criterion_is_a_sum_or_an_integral),
      cmocka_unit_test(noise_is_given_when_all_channels_say_it),
      cmocka_unit_test(samples_are_counted_over_the_horizon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
