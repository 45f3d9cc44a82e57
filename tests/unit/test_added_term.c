#include "num/added_term.h"

#include <stdbool.h>

#include "num/random.h"
#include "test.h"

enum { ROWS = 300, TERMS = 8, TRIALS = 600 };
static const double LEVEL = 1e-4, SHARE = 0.1; // as remarks are made: of the best of all terms

// Noise of deviation 1, each sample correlated with the one before.
static void make_noise(double *r, int n, double correlation, Random *random) {
  double last = random_normal(random), fresh = sqrt(1 - correlation * correlation);
  for (int i = 0; i < n; i++) {
    r[i] = last;
    last = correlation * last + fresh * random_normal(random);
  }
}

// What terms of models look like: trends, swings, their signs and cubes, decays, wandering inputs.
static void make_term(double *c, int n, int kind, Random *random) {
  double walk = 0, mean = 0;
  for (int i = 0; i < n; i++) {
    double s = i / (double)n, swing = sin(30 * s);
    walk = 0.95 * walk + random_normal(random);
    double value[TERMS] = {
        s,           swing,     (swing > 0) - (swing < 0), swing * swing * swing, exp(-8 * s), walk,
        walk * walk, cos(5 * s)};
    c[i] = value[kind];
    mean += c[i] / n;
  }
  for (int i = 0; i < n; i++) c[i] -= mean;
}

static double false_alarms(int n, double correlation) {
  int alarms = 0;
  for (int k = 0; k < TRIALS; k++) {
    double r[ROWS], c[ROWS];
    bool alarm = false;
    Random random;
    random_seed_stream(&random, 31, (uint64_t)k);
    make_noise(r, n, correlation, &random);
    for (int kind = 0; kind < TERMS; kind++) {
      make_term(c, n, kind, &random);
      AddedTerm t = added_term(r, c, &(RowSeries){0, n}, 1);
      alarm |= t.p < LEVEL / TERMS && t.share >= SHARE;
    }
    alarms += alarm;
  }
  return alarms / (double)TRIALS;
}

static void noise_of_any_colour_is_not_explained(void **state) {
  (void)state;
  assert_true(false_alarms(60, 0) <= 0.01);
  assert_true(false_alarms(300, 0) <= 0.01);
  assert_true(false_alarms(60, 0.9) <= 0.01);
  assert_true(false_alarms(100, 0.9) <= 0.01);
  assert_true(false_alarms(300, 0.9) <= 0.01);
  assert_true(false_alarms(300, 0.97) <= 0.01);
}

static void the_term_that_is_there_is_found(void **state) {
  (void)state;
  for (int kind = 0; kind < TERMS; kind++)
    for (int colour = 0; colour < 2; colour++) {
      int found = 0;
      for (int k = 0; k < 20; k++) {
        double r[ROWS], c[ROWS], square = 0;
        Random random;
        random_seed_stream(&random, 32, (uint64_t)k);
        make_noise(r, ROWS, colour ? 0.5 : 0, &random);
        make_term(c, ROWS, kind, &random);
        for (int i = 0; i < ROWS; i++) square += c[i] * c[i] / ROWS;
        for (int i = 0; i < ROWS; i++) r[i] += 1.5 / sqrt(square) * c[i];
        AddedTerm t = added_term(r, c, &(RowSeries){0, ROWS}, 1);
        found += t.p < LEVEL / TERMS && fabs(t.share - 2.25 / 3.25) < 0.2 &&
                 fabs(t.factor * sqrt(square) - 1.5) < 0.7;
      }
      assert_true(found >= 16);
    }
}

// Several experiments share the factor: together they tell what none of them does.
static void series_are_told_apart_and_taken_together(void **state) {
  (void)state;
  enum { SERIES = 12, EACH = 40 };
  double r[SERIES * EACH], c[SERIES * EACH];
  RowSeries series[SERIES];
  Random random;
  random_seed(&random, 33);
  for (int k = 0; k < SERIES; k++) {
    series[k] = (RowSeries){k * EACH, EACH};
    make_noise(r + k * EACH, EACH, 0, &random);
    for (int i = 0; i < EACH; i++) {
      c[k * EACH + i] = sin(0.3 * i + k);
      r[k * EACH + i] += 0.8 * c[k * EACH + i];
    }
  }
  assert_true(added_term(r, c, series, 1).p > 1e-7);
  AddedTerm all = added_term(r, c, series, SERIES);
  assert_true(all.p < 1e-12);
  assert_close(all.factor, 0.8, 0.15);
}

static void units_do_not_matter(void **state) {
  (void)state;
  double r[ROWS], c[ROWS];
  Random random;
  random_seed(&random, 34);
  make_noise(r, ROWS, 0.5, &random);
  make_term(c, ROWS, 1, &random);
  for (int i = 0; i < ROWS; i++) r[i] += 0.5 * c[i];
  AddedTerm t = added_term(r, c, &(RowSeries){0, ROWS}, 1);
  for (int i = 0; i < ROWS; i++) r[i] *= 1e-6, c[i] *= 1e9;
  AddedTerm u = added_term(r, c, &(RowSeries){0, ROWS}, 1);
  assert_close_relative(u.p, t.p, 1e-6);
  assert_close(u.share, t.share, 1e-9);
  assert_close_relative(u.factor, 1e-15 * t.factor, 1e-9);
}

// Residuals after a fit of the factor are those without the term.
static void a_fitted_number_counts_as_its_term(void **state) {
  (void)state;
  double r[ROWS], c[ROWS], after[ROWS];
  Random random;
  random_seed(&random, 35);
  make_noise(r, ROWS, 0.5, &random);
  make_term(c, ROWS, 2, &random);
  for (int i = 0; i < ROWS; i++) r[i] += 0.5 * c[i];
  AddedTerm t = added_term(r, c, &(RowSeries){0, ROWS}, 1);
  for (int i = 0; i < ROWS; i++) after[i] = r[i] - t.factor * c[i];
  AddedTerm u = added_number(r, after, &(RowSeries){0, ROWS}, 1);
  assert_close_relative(u.p, t.p, 1e-6);
  assert_close(u.share, t.share, 1e-9);
  assert_true(isnan(u.factor));
  assert_true(!(added_number(r, r, &(RowSeries){0, ROWS}, 1).p < 0.999));
  assert_true(isnan(added_number(r, after, &(RowSeries){0, 19}, 1).p));
}

static void few_rows_tell_nothing(void **state) {
  (void)state;
  double r[20], c[20], zero[20] = {0};
  for (int i = 0; i < 20; i++) c[i] = i - 9.5, r[i] = c[i] + (i % 3) - 1;
  assert_true(isnan(added_term(r, c, &(RowSeries){0, 19}, 1).p));
  assert_true(isfinite(added_term(r, c, &(RowSeries){0, 20}, 1).p));
  assert_true(isnan(added_term(r, c, NULL, 0).p));
  assert_true(!(added_term(r, zero, &(RowSeries){0, 20}, 1).p < 0.5));
  assert_true(!(added_term(zero, c, &(RowSeries){0, 20}, 1).p < 0.5));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_of_any_colour_is_not_explained),
      cmocka_unit_test(the_term_that_is_there_is_found),
      cmocka_unit_test(series_are_told_apart_and_taken_together),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(a_fitted_number_counts_as_its_term),
      cmocka_unit_test(few_rows_tell_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
