#include "residual/weighting.h"

#include "chosen_residuals.h"
#include "swings.h"
#include "threshold.h"

static double value_with(Evaluation *e, const double *sigma) {
  static const double X[] = {1.8, 0.6};
  Weighting *w = weighting_new(e->fitting->data, sigma);
  EvalSpec spec = e->spec;
  spec.weighting = w;
  double v = evaluate_value(e->work, &spec, X);
  weighting_free(w);
  return v;
}

static void sigma_divides_the_objective_by_its_square(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.01);
  Evaluation *e = evaluation_new(&h->problem);
  double one = value_with(e, (const double[]){1, 1}), noise = noise_objective(e->spec.weighting, 1);
  assert_close_relative(value_with(e, NULL), one, 0); // unknown counts as 1
  for (double s = 0.01; s < 200; s *= 7) {
    const double sigma[] = {s, s};
    assert_close_relative(value_with(e, sigma), one / (s * s), 1e-12);
    Weighting *w = weighting_new(e->fitting->data, sigma);
    assert_close_relative(noise_objective(w, 1), noise / (s * s), 1e-12);
    weighting_free(w);
  }
  // Channels add up, each by its own.
  double x = value_with(e, (const double[]){1, 1e200}),
         v = value_with(e, (const double[]){1e200, 1});
  assert_close_relative(x + v, one, 1e-12);
  assert_close_relative(value_with(e, (const double[]){2, 0.5}), x / 4 + v * 4, 1e-12);
  evaluation_free(e);
  hand_done(h);
}

static void a_weight_multiplies_the_squares(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.01);
  Evaluation *e = evaluation_new(&h->problem);
  double one = value_with(e, NULL);
  evaluation_free(e);
  for (int c = 0; c < 2; c++) h->experiments[0].channels[c].weight = 9;
  e = evaluation_new(&h->problem);
  assert_close_relative(value_with(e, NULL), 9 * one, 1e-12);
  evaluation_free(e);
  hand_done(h);
}

// The objective is linear in the weights of samples, and data of weight 0 may be anything.
static void sample_weights_multiply_the_squares(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.01);
  Channel *c = h->experiments[0].channels;
  int count = c[0].count;
  double *weight = ARENA_ARRAY(h->arena, double, count), v[3];
  double *y = ARENA_ARRAY(h->arena, double, count);
  for (int k = 0; k < 3; k++) { // some samples, the others, both
    for (int i = 0; i < count; i++) weight[i] = k == 2 || (i % 3 == 0) == (k == 0) ? i % 3 + 1 : 0;
    memcpy(y, h->experiments[0].channels[0].y, (size_t)count * sizeof *y);
    for (int i = 0; i < count; i++)
      if (weight[i] == 0) y[i] = 1e6;
    Channel before = c[0];
    c[0].y = y;
    c[0].sample_weight = c[1].sample_weight = weight;
    Evaluation *e = evaluation_new(&h->problem);
    v[k] = value_with(e, NULL);
    double all = 2 * (double)samples_that_count(&c[0], count);
    assert_close(e->fitting->data->samples, all, 0);
    assert_close(sample_count(&h->problem, 1), all, 0);
    evaluation_free(e);
    c[0] = before;
  }
  assert_close_relative(v[0] + v[1], v[2], 1e-9);
  hand_done(h);
}

static void the_first_sigma_is_given_or_the_noise(void **state) {
  (void)state;
  double r[200];
  Random random;
  random_seed(&random, 5);
  for (int i = 0; i < 200; i++) r[i] = 0.05 * random_normal(&random);
  for (int kind = 0; kind < 3; kind++) {
    Chosen c = chosen_open(200, r, kind == 1 ? 0.3 : 0);
    if (kind == 2) c.channel->sigma_kind = SIGMA_ESTIMATED;
    chosen_ready(&c);
    double noise = c.weighting->data->channels[0].noise;
    assert_true(c.weighting->sigma[0] == (kind == 0 ? 1 : kind == 1 ? 0.3 : noise));
    chosen_close(&c);
  }
  // Without noise a thousandth of the spread keeps it from 0.
  Chosen c = chosen_open(200, NULL, 0);
  c.channel->sigma_kind = SIGMA_ESTIMATED;
  chosen_ready(&c);
  double spread = sqrt(2 * data_objective(c.weighting, 1) / 200) * c.weighting->sigma[0];
  assert_close_relative(c.weighting->sigma[0], 1e-3 * spread, 1e-9);
  chosen_close(&c);
}

static void the_huber_limit_follows_the_deviation(void **state) {
  (void)state;
  Chosen c = chosen_open(200, NULL, 0.3);
  chosen_ready(&c);
  assert_true(c.weighting->channels[0].huber == HUGE_VAL);
  c.problem->options.loss = LOSS_HUBER;
  c.problem->options.huber_limit = 2;
  Weighting *w = weighting_new(c.weighting->data, (const double[]){0.7});
  assert_close_relative(w->channels[0].huber, 1.4, 1e-14);
  weighting_free(w);
  chosen_close(&c);
}

// ---------------------------------------------------------------- sigma from residuals

static bool rows_at_truth(void *self, ResidualSink *sink, void *data) {
  Chosen *c = self;
  return evaluate_rows(c->evaluation->work, c->spec, CHOSEN_TRUTH, sink, data);
}

static bool no_rows(void *self, ResidualSink *sink, void *data) {
  (void)self, (void)sink, (void)data;
  return false;
}

static void estimated_sigma_is_the_root_mean_square(void **state) {
  (void)state;
  double r[200], change;
  for (int i = 0; i < 200; i++) r[i] = i % 2 ? 0.05 : -0.05;
  Chosen c = chosen_open(200, r, 0);
  chosen_ready(&c);
  assert_null(weighting_from_residuals(c.weighting, rows_at_truth, &c, &change)); // nothing is
  assert_true(change == 0);
  c.channel->sigma_kind = SIGMA_ESTIMATED;
  assert_null(weighting_from_residuals(c.weighting, no_rows, &c, &change));
  Weighting *w = weighting_from_residuals(c.weighting, rows_at_truth, &c, &change);
  assert_close_relative(w->sigma[0], 0.05, 1e-12);
  assert_close_relative(change, 0.95, 1e-12); // from 1
  c.spec->weighting = w;
  Weighting *again = weighting_from_residuals(w, rows_at_truth, &c, &change);
  assert_true(change < 1e-12); // sigma does not depend on the sigma before
  weighting_free(again);
  weighting_free(w);
  chosen_close(&c);
}

// ---------------------------------------------------------------- objectives of the data alone

static bool noise_is_what_was_given(void *data, double count) {
  (void)data;
  Chosen c = chosen_open((int)count, NULL, 0.1); // differences show next to none
  chosen_ready(&c);
  bool given = fabs(noise_objective(c.weighting, 1) - count / 2) < 1e-9 * count;
  chosen_close(&c);
  return given;
}

static void differences_of_50_samples_overrule_a_given_sigma(void **state) {
  (void)state;
  assert_turns(noise_is_what_was_given, NULL, 49, 50);
}

static void differences_never_show_more_noise_than_was_given(void **state) {
  (void)state;
  double r[100];
  Random random;
  random_seed(&random, 5);
  for (int i = 0; i < 100; i++) r[i] = 0.05 * random_normal(&random);
  Chosen c = chosen_open(100, r, 0.01);
  chosen_ready(&c);
  assert_close_relative(noise_objective(c.weighting, 1), 50.0, 1e-12);
  chosen_close(&c);
}

static void objectives_of_the_data_grow_with_the_horizon(void **state) {
  (void)state;
  Hand *h = duffing(2, 0.02);
  Evaluation *e = evaluation_new(&h->problem);
  const Weighting *w = e->spec.weighting;
  for (double horizon = 0.1; horizon < 0.95; horizon += 0.1) {
    assert_true(data_objective(w, horizon) <= data_objective(w, horizon + 0.1));
    assert_close_relative(noise_objective(w, horizon) / noise_objective(w, 1),
                          sample_count(&h->problem, horizon) / sample_count(&h->problem, 1), 0.1);
  }
  evaluation_free(e);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sigma_divides_the_objective_by_its_square),
      cmocka_unit_test(a_weight_multiplies_the_squares),
      cmocka_unit_test(sample_weights_multiply_the_squares),
      cmocka_unit_test(the_first_sigma_is_given_or_the_noise),
      cmocka_unit_test(the_huber_limit_follows_the_deviation),
      cmocka_unit_test(estimated_sigma_is_the_root_mean_square),
      cmocka_unit_test(differences_of_50_samples_overrule_a_given_sigma),
      cmocka_unit_test(differences_never_show_more_noise_than_was_given),
      cmocka_unit_test(objectives_of_the_data_grow_with_the_horizon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
