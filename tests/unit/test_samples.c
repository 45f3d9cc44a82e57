#include "search/samples.h"

#include "assessed.h"
#include "hand_problem.h"
#include "search/fit.h"
#include "stats/statistics.h"

enum { SAMPLES = 2001, NUMBERS = 3 };
static const double NOISE = 0.05, TRUTH[NUMBERS] = {10, 28, 8.0 / 3};

// 40 units of time: changes grow by 1e15, more than numbers have digits.
static Hand *lorenz(uint64_t seed) {
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(
      h,
      (HandData){.channels = {"x"}, .step = 0.02, .count = SAMPLES, .noise = NOISE, .seed = seed});
  hand_estimate(h, "sigma", -1, 9.5, 2, 50);
  hand_estimate(h, "rho", -1, 29, 5.6, 140);
  hand_estimate(h, "beta", -1, 2.8, 0.5, 13.5);
  return h;
}

static double deviation_of_noise(const Hand *h) {
  const Channel *c = &h->experiments[0].channels[0];
  double *y = ARENA_ARRAY(h->arena, double, c->count), squares = 0;
  hand_simulate((Hand *)(uintptr_t)h, &h->experiments[0], &c->measured, 1, c->t, c->count, y);
  for (int i = 0; i < c->count; i++) squares += pow(c->y[i] - y[i], 2);
  return sqrt(squares / c->count);
}

static bool says(const Statistics *s, const char *words) {
  for (int i = 0; i < s->remark_count; i++)
    if (strstr(s->remarks[i], words)) return true;
  return false;
}

static void expect_noise(const FitResult *r, const Statistics *s, double noise) {
  const StatChannel *c = &s->channels[0];
  assert_true(c->rmse < noise && c->rmse > noise * (1 - 5.0 / SAMPLES));
  assert_close_relative(c->rmse * c->rmse * SAMPLES / 2, r->objective, 1e-9);
  assert_true(c->fit_percent > 90);
  assert_true(c->white_p > 1e-3 && c->runs_p > 1e-3);
}

// The truth is within four standard errors, which are neither mere accuracy of the simulation nor far off.
static void expect_intervals(const FitResult *r, const Statistics *s) {
  assert_int_equal(s->rank, NUMBERS);
  assert_int_equal(s->direction_count, 0);
  for (int i = 0; i < NUMBERS; i++) {
    const StatParameter *p = &s->parameters[i];
    assert_true(p->identifiable);
    assert_true(p->std_error > 1e-4 * TRUTH[i] && p->std_error < 3e-3 * TRUTH[i]);
    assert_true(fabs(r->x[i] - TRUTH[i]) < 4 * p->std_error);
  }
}

static void chaotic_motion_in_pieces_has_the_statistics_of_its_noise(void **state) {
  (void)state;
  Hand *h = lorenz(2);
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_string_equal(r->by, "multiple shooting");
  assert_true(r->fits && r->pieces && r->pieces->gap < 1e-6);
  assert_true(fit_piece_count(&h->problem, r->pieces) == r->pieces->count[0]);
  for (int i = 0; i < NUMBERS; i++) assert_close_relative(r->x[i], TRUTH[i], 0.01);
  Evaluation *o = evaluation_new(&h->problem);
  Statistics *s = statistics_of(o, r);
  expect_noise(r, s, deviation_of_noise(h));
  expect_intervals(r, s);
  char words[40];
  snprintf(words, sizeof words, "from %d pieces", r->pieces->count[0]);
  assert_true(says(s, words) && says(s, "only if the model is exact"));
  statistics_free(s);
  evaluation_free(o);
  fit_free(r);
  hand_done(h);
}

static void without_noise_errors_are_not_below_the_accuracy_of_the_simulation(void **state) {
  (void)state;
  Hand *h = lorenz(1);
  Channel *c = &h->experiments[0].channels[0];
  double *y = ARENA_ARRAY(h->arena, double, c->count);
  hand_simulate(h, &h->experiments[0], &c->measured, 1, c->t, c->count, y);
  c->y = y;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_non_null(r->pieces);
  Evaluation *o = evaluation_new(&h->problem);
  Statistics *s = statistics_of(o, r);
  for (int i = 0; i < NUMBERS; i++) {
    double least = h->problem.simulate.rel_tol * r->x[i];
    assert_true(s->parameters[i].std_error >= least * (1 - 1e-12));
    assert_true(fabs(r->x[i] - TRUTH[i]) < 4 * s->parameters[i].std_error);
  }
  assert_true(s->channels[0].exact);
  statistics_free(s);
  evaluation_free(o);
  fit_free(r);
  hand_done(h);
}

static void sigma_that_is_estimated_is_that_of_the_pieces(void **state) {
  (void)state;
  Hand *h = lorenz(2);
  h->experiments[0].channels[0].sigma_kind = SIGMA_ESTIMATED;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_true(r->fits && r->pieces);
  Evaluation *o = evaluation_new(&h->problem);
  Statistics *s = statistics_of(o, r);
  assert_close_relative(s->channels[0].rmse, r->sigma[0], 1e-3);
  assert_close_relative(r->sigma[0], deviation_of_noise(h), 5e-3);
  expect_intervals(r, s);
  statistics_free(s);
  evaluation_free(o);
  fit_free(r);
  hand_done(h);
}

static void ordinary_results_have_no_pieces_and_no_gaps(void **state) {
  (void)state;
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(
      h, (HandData){.channels = {"x"}, .step = 0.02, .count = 101, .noise = NOISE, .seed = 1});
  hand_estimate(h, "rho", -1, 29, 5.6, 140);
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_null(r->pieces);
  assert_int_equal(fit_piece_count(&h->problem, r->pieces), 0);
  Evaluation *o = evaluation_new(&h->problem);
  Arena *a = arena_new();
  const Samples *s = samples_new(a, o->work, o->spec.weighting, r->pieces, r->x);
  assert_int_equal(samples_rows(s), 101);
  arena_free(a);
  evaluation_free(o);
  fit_free(r);
  hand_done(h);
}

static void narrow_bounds_are_the_size_of_what_they_confine(void **state) {
  (void)state;
  const Unknown later = {.start = 1672884003, .min = 1672884000, .max = 1672884006};
  const Unknown wide = {.start = 3, .min = 1, .max = 9},
                open = {.start = 3, .min = 0, .max = HUGE_VAL};
  assert_true(typical_size(&later, 1672884002.5) == 6);
  assert_true(typical_size(&wide, 2.5) == 2.5);
  assert_true(typical_size(&open, 2.5) == 2.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chaotic_motion_in_pieces_has_the_statistics_of_its_noise),
      cmocka_unit_test(without_noise_errors_are_not_below_the_accuracy_of_the_simulation),
      cmocka_unit_test(sigma_that_is_estimated_is_that_of_the_pieces),
      cmocka_unit_test(ordinary_results_have_no_pieces_and_no_gaps),
      cmocka_unit_test(narrow_bounds_are_the_size_of_what_they_confine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
