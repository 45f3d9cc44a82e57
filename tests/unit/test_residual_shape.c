// Residuals as histogram, quantiles and correlations: what the numbers of a picture must obey.
#include "num/residual_shape.h"

#include <float.h>
#include <time.h>

#include "num/distribution.h"
#include "num/random.h"
#include "num/residual_tests.h"
#include "test.h"

static double *normal_numbers(Arena *a, int n, double mean, double deviation) {
  double *r = ARENA_ARRAY(a, double, n + 1);
  Random random;
  random_seed(&random, 7);
  for (int i = 0; i < n; i++) r[i] = mean + deviation * random_normal(&random);
  return r;
}

static int sum_of_bars(const Histogram *h) {
  int sum = 0;
  for (int i = 0; i < h->bars; i++) sum += h->count[i];
  return sum;
}

static void bars_sum_to_the_number_of_residuals(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int n = 1; n < 3000; n = 1 + n * 3 / 2) {
    double *r = normal_numbers(a, n, 3, 0.1);
    for (int outlier = 0; outlier < 2; outlier++) {
      if (outlier) r[n / 2] = 1e9;
      ResidualShape s = residual_shape(a, r, n);
      Histogram h = residual_histogram(a, &s);
      assert_int_equal(s.n, n);
      assert_int_equal(sum_of_bars(&h), n);
      assert_true(h.bars >= 1 && h.bars <= 60 && h.width > 0);
    }
  }
  arena_free(a);
}

// A bar counts what lies in it.
static void bars_count_what_lies_in_them(void **state) {
  (void)state;
  Arena *a = arena_new();
  int n = 5000;
  double *r = normal_numbers(a, n, -2, 4);
  ResidualShape s = residual_shape(a, r, n);
  Histogram h = residual_histogram(a, &s);
  for (int k = 1; k + 1 < h.bars; k++) {
    int count = 0;
    for (int i = 0; i < n; i++)
      count += r[i] >= h.from + k * h.width && r[i] < h.from + (k + 1) * h.width;
    assert_int_equal(h.count[k], count);
  }
  double area = 0; // of the normal curve: as many
  for (int k = -100; k < 200; k++) area += histogram_normal(&s, &h, h.from + k * h.width);
  assert_close(area, n, 1e-6 * n);
  arena_free(a);
}

// One residual far away does not hide the shape of the others.
static void far_residuals_get_no_bars_of_their_own(void **state) {
  (void)state;
  Arena *a = arena_new();
  double *r = normal_numbers(a, 1000, 0, 1);
  r[3] = 1e6, r[4] = -1e7;
  ResidualShape s = residual_shape(a, r, 1000);
  Histogram h = residual_histogram(a, &s);
  assert_int_equal(h.beyond, 2);
  assert_true(h.bars * h.width < 20);
  assert_int_equal(sum_of_bars(&h), 1000);
  arena_free(a);
}

static void edge_cases_have_one_bar_or_none(void **state) {
  (void)state;
  Arena *a = arena_new();
  static const double EQUAL[4] = {0.3, 0.3, 0.3, 0.3}, ZERO[3] = {0};
  const double none[3] = {nan(""), HUGE_VAL, -HUGE_VAL},
               huge[4] = {-DBL_MAX, DBL_MAX, 0, DBL_MAX / 2},
               tiny[3] = {0, DBL_TRUE_MIN, 2 * DBL_TRUE_MIN};
  const struct {
    const double *r;
    int count, n;
  } CASES[] = {{EQUAL, 4, 4}, {EQUAL, 1, 1}, {ZERO, 3, 3}, {none, 3, 0},
               {huge, 4, 4},  {tiny, 3, 3},  {NULL, 0, 0}};
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    ResidualShape s = residual_shape(a, CASES[k].r, CASES[k].count);
    Histogram h = residual_histogram(a, &s);
    assert_int_equal(s.n, CASES[k].n);
    assert_int_equal(sum_of_bars(&h), s.n);
    assert_int_equal(residual_quantiles(a, &s, 400).count, s.n);
    assert_true(isnan(s.mean) == (s.n < 1) && isnan(s.deviation) == (s.n < 2));
  }
  ResidualShape s = residual_shape(a, EQUAL, 4);
  assert_true(s.deviation == 0);
  assert_int_equal(residual_histogram(a, &s).bars, 1);
  arena_free(a);
}

static void mean_and_deviation_by_definition(void **state) {
  (void)state;
  Arena *a = arena_new();
  static const double r[5] = {1, 2, 4, 8, 0};
  ResidualShape s = residual_shape(a, r, 5);
  assert_close(s.mean, 3, 1e-15);
  assert_close(s.deviation, sqrt((4 + 1 + 1 + 25 + 9) / 4.0), 1e-14);
  arena_free(a);
}

// ---------------------------------------------------------------- quantiles

static void quantiles_rise_and_keep_the_extremes(void **state) {
  (void)state;
  Arena *a = arena_new();
  static const int COUNTS[] = {1, 2, 399, 400, 401, 100000};
  for (int k = 0; k < 6; k++) {
    int n = COUNTS[k];
    ResidualShape s = residual_shape(a, normal_numbers(a, n, 1, 2), n);
    NormalQuantiles q = residual_quantiles(a, &s, 400);
    assert_true(q.count <= 400 && (n > 400 || q.count == n));
    assert_true(q.value[0] == s.sorted[0] && q.value[q.count - 1] == s.sorted[n - 1]);
    for (int i = 1; i < q.count; i++)
      assert_true(q.normal[i] > q.normal[i - 1] && q.value[i] >= q.value[i - 1]);
  }
  arena_free(a);
}

// Numbers that are exactly the quantiles of a normal law lie on the line mean + deviation*z, thinned or not.
static void normal_numbers_lie_on_the_line(void **state) {
  (void)state;
  Arena *a = arena_new();
  int n = 20001;
  double *r = ARENA_ARRAY(a, double, n);
  for (int i = 0; i < n; i++) r[i] = 5 - 3 * normal_quantile((i + 0.5) / n); // falling
  ResidualShape s = residual_shape(a, r, n);
  NormalQuantiles q = residual_quantiles(a, &s, 300);
  assert_true(q.count > 200);
  for (int i = 0; i < q.count; i++) assert_close(q.value[i], 5 + 3 * q.normal[i], 1e-9);
  arena_free(a);
}

// ---------------------------------------------------------------- correlation

static void autocorrelations_equal_a_direct_computation(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int n = 5; n < 500; n += 37) {
    double *r = normal_numbers(a, n, 0.2, 1), out[60], square = 0;
    int lags = autocorrelation_lags(n);
    for (int i = 1; i < n; i++) r[i] += 0.7 * r[i - 1];
    autocorrelations(r, n, lags, out);
    for (int i = 0; i < n; i++) square += r[i] * r[i];
    for (int lag = 1; lag <= lags; lag++) {
      double sum = 0;
      for (int i = n - 1; i >= lag; i--) sum += r[i] * r[i - lag];
      assert_close(out[lag - 1], sum / square, 1e-13);
      assert_close(out[lag - 1], autocorrelation(r, n, lag), 1e-13);
    }
  }
  arena_free(a);
}

static void gaps_take_no_part_in_correlation(void **state) {
  (void)state;
  double r[8] = {1, -1, nan(""), 1, -1, HUGE_VAL, 1, -1}, out[2];
  autocorrelations(r, 8, 2, out);
  assert_close(out[0], -3 / 6.0, 1e-15);
  assert_close(out[1], -2 / 6.0, 1e-15);
  static const double ZERO[8] = {0};
  autocorrelations(ZERO, 8, 2, out);
  assert_true(isnan(out[0]) && isnan(out[1]));
  double large[5] = {1e300, -1e300, 1e300, -1e300, 1e300};
  autocorrelations(large, 5, 1, out);
  assert_close(out[0], -0.8, 1e-15);
}

static void lags_are_limited(void **state) {
  (void)state;
  assert_int_equal(autocorrelation_lags(0), 0);
  assert_int_equal(autocorrelation_lags(3), 0);
  assert_int_equal(autocorrelation_lags(239), 59);
  assert_int_equal(autocorrelation_lags(240), 60);
  assert_int_equal(autocorrelation_lags(1000000), 60);
}

// A million residuals: fractions of a second of CPU time, also with sanitizers.
static void a_million_residuals_are_no_burden(void **state) {
  (void)state;
  Arena *a = arena_new();
  int n = 1000000;
  double *r = normal_numbers(a, n, 0, 1), out[60];
  clock_t begin = clock();
  ResidualShape s = residual_shape(a, r, n);
  Histogram h = residual_histogram(a, &s);
  NormalQuantiles q = residual_quantiles(a, &s, 400);
  autocorrelations(r, n, 60, out);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  assert_int_equal(sum_of_bars(&h), n);
  assert_true(q.count > 300 && fabs(out[59]) < 0.01);
  print_message("a million residuals: %.3f s\n", seconds);
  assert_true(seconds < 2);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bars_sum_to_the_number_of_residuals),
      cmocka_unit_test(bars_count_what_lies_in_them),
      cmocka_unit_test(far_residuals_get_no_bars_of_their_own),
      cmocka_unit_test(edge_cases_have_one_bar_or_none),
      cmocka_unit_test(mean_and_deviation_by_definition),
      cmocka_unit_test(quantiles_rise_and_keep_the_extremes),
      cmocka_unit_test(normal_numbers_lie_on_the_line),
      cmocka_unit_test(autocorrelations_equal_a_direct_computation),
      cmocka_unit_test(gaps_take_no_part_in_correlation),
      cmocka_unit_test(lags_are_limited),
      cmocka_unit_test(a_million_residuals_are_no_burden),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
