#include "search/horizon.h"

#include "search/certificate.h"
#include "search/fit.h"
#include "searching.h"

enum { SAMPLES = 2001, MOST = 64 };

// The horizons that a search tries, as it tries them.
typedef struct Horizons {
  int rows[MOST], simulations[MOST], count; // slopes are counted
  int spoiled_from; // rows from which the data cannot be fitted, whatever is tried: once; 0: never
  bool endless;     // every step promises a better objective, none has it
} Horizons;

static void see(Watched *w, const SimulationOrder *o) {
  Horizons *h = w->data;
  int rows = o->request->count;
  bool spoiled = h->spoiled_from && rows >= h->spoiled_from;
  if (h->count == 0 || h->rows[h->count - 1] != rows || spoiled) {
    assert_true(h->count < MOST);
    h->rows[h->count] = rows, h->simulations[h->count++] = 0;
  }
  h->simulations[h->count - 1] += o->slopes;
  if (spoiled) set_residuals(w, o, 1, 0);
  if (h->endless) set_residuals(w, o, 1e-8, 100);
}

static Hand *long_pendulum(double start) {
  Hand *h = pendulum(0, start);
  h->problem.experiment_count = 0;
  hand_experiment(h, (HandData){.channels = {"theta"}, .step = 0.01, .count = SAMPLES});
  return h;
}

static bool grow(Hand *h, double first, Horizons *seen) {
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = see, q.watched.keep_all = true, q.watched.data = seen;
  q.s->method = METHOD_AUTO;
  search_begin(q.s, "growing horizon");
  bool certain = horizon_grow(q.s, q.s->start, first);
  assert_true(last_stage(&q)->fits == certain);
  searching_close(&q);
  return certain;
}

static int rows_of(double horizon) {
  return (int)floor(horizon * (SAMPLES - 1) + 1e-9) + 1;
}

static void it_grows_by_a_third_until_all_data_are_fitted(void **state) {
  (void)state;
  Hand *h = long_pendulum(10);
  Horizons seen = {0};
  assert_true(grow(h, 0.05, &seen));
  double horizon = 0.05;
  for (int k = 0; k < seen.count; k++, horizon = fmin(1, 1.35 * horizon))
    assert_int_equal(seen.rows[k], rows_of(horizon));
  assert_int_equal(seen.rows[seen.count - 1], SAMPLES);
  hand_done(h);
}

// So many samples that the unknowns do not fit anything: 6, and 2 for each unknown.
static void it_begins_with_enough_samples(void **state) {
  (void)state;
  Hand *h = long_pendulum(10);
  Horizons seen = {0};
  grow(h, 1e-6, &seen);
  assert_int_equal(seen.rows[0], rows_of((6 + 2.0) / SAMPLES));
  hand_done(h);
}

// The growth falls to a third of itself after each, but not below 3 per cent; six are allowed.
static void it_retreats_six_times(void **state) {
  (void)state;
  Hand *h = long_pendulum(10);
  Horizons seen = {.spoiled_from = rows_of(0.105)};
  assert_false(grow(h, 0.1, &seen));
  double tried[] = {0.1, 0.1 * 1.35, 0.1 * (1 + 0.35 / 3), 0.1 * (1 + 0.35 / 9)};
  for (int k = 0; k < 4; k++) assert_int_equal(seen.rows[k], rows_of(tried[k]));
  // From there on by steps that lie between 3 per cent and one and a half times what succeeded.
  int retreats = 0;
  double horizon = 0.1, growth = 1.35;
  for (int k = 1; k < seen.count; k++) {
    double longer = fmin(1, horizon * growth);
    assert_int_equal(seen.rows[k], rows_of(longer));
    if (seen.rows[k] < seen.spoiled_from)
      horizon = longer, growth = fmin(1.35, 1 + 1.5 * (growth - 1));
    else
      retreats++, growth = fmax(1.03, 1 + (growth - 1) / 3);
  }
  assert_int_equal(retreats, 6);
  hand_done(h);
}

static void a_first_part_that_cannot_be_fitted_ends_it(void **state) {
  (void)state;
  Hand *h = long_pendulum(10);
  Horizons seen = {.spoiled_from = 1};
  assert_false(grow(h, 0.1, &seen));
  assert_int_equal(seen.count, 1);
  hand_done(h);
}

// A search that never converges uses all it is given.
static void the_first_fit_gets_40_iterations_and_the_next_15(void **state) {
  (void)state;
  Hand *h = long_pendulum(20);
  h->problem.options.local = LOCAL_GAUSS_NEWTON;
  h->problem.options.line_search = LINE_SEARCH_OFF;
  Horizons seen = {.endless = true};
  grow(h, 0.05, &seen);
  assert_true(seen.count > 3);
  assert_in_range(seen.simulations[0], 40, 41); // with that of its start
  assert_in_range(seen.simulations[1], 15, 16);
  assert_int_equal(seen.simulations[2], seen.simulations[1]);
  hand_done(h);
}

static void it_finds_the_truth_from_far_away(void **state) {
  (void)state;
  static const double STARTS[] = {4, 15, 25};
  for (int k = 0; k < 3; k++) {
    Hand *h = long_pendulum(STARTS[k]);
    Horizons seen = {0};
    assert_true(grow(h, 0.05, &seen));
    h->problem.method = METHOD_LM;
    FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
    assert_true(fabs(r->x[0] - 10) > 1); // which a local search does not
    fit_free(r);
    hand_done(h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_grows_by_a_third_until_all_data_are_fitted),
      cmocka_unit_test(it_begins_with_enough_samples),
      cmocka_unit_test(it_retreats_six_times),
      cmocka_unit_test(a_first_part_that_cannot_be_fitted_ends_it),
      cmocka_unit_test(the_first_fit_gets_40_iterations_and_the_next_15),
      cmocka_unit_test(it_finds_the_truth_from_far_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
