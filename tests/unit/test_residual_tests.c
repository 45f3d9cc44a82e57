#include "num/residual_tests.h"

#include "num/random.h"
#include "test.h"

enum { N = 300, TRIALS = 2000 };

typedef double Test(const double *r, int n);
static Test *const tests_of_whiteness[] = {ljung_box_p, runs_p, lag1_p};

static double size_at(int i, int kind) {
  return kind == 0 ? 1 : fabs(sin(0.05 * i)) + 0.01; // in proportion to a swinging signal
}

// What the errors of two parameters leave.
static double left_by_parameters(int i) {
  return 0.05 * cos(0.05 * i);
}

// p is uniform when residuals are white, also when their size changes and vanishes below the errors of parameters.
static void white_residuals_are_rejected_as_often_as_said(void **state) {
  (void)state;
  for (int test = 0; test < 3; test++)
    for (int kind = 0; kind < 3; kind++) {
      int below_5 = 0, below_50 = 0;
      for (int k = 0; k < TRIALS; k++) {
        double r[N];
        Random random;
        random_seed_stream(&random, 1, (uint64_t)k);
        for (int i = 0; i < N; i++)
          r[i] =
              size_at(i, kind) * random_normal(&random) + (kind == 2 ? left_by_parameters(i) : 0);
        double p = tests_of_whiteness[test](r, N);
        below_5 += p < 0.05;
        below_50 += p < 0.5;
      }
      assert_close(below_5 / (double)TRIALS, 0.05, 0.02);
      assert_close(below_50 / (double)TRIALS, 0.5, 0.06);
    }
}

enum { SMALL = 100, SMALL_TRIALS = 20000 };

// Share of realisations of 100 residuals, each correlated with the one before, that a test rejects at the level.
static double rejected(Test *test, double correlation, double level) {
  int count = 0;
  double fresh = sqrt(1 - correlation * correlation);
  for (int k = 0; k < SMALL_TRIALS; k++) {
    double r[SMALL];
    Random random;
    random_seed_stream(&random, 3, (uint64_t)k);
    r[0] = random_normal(&random);
    for (int i = 1; i < SMALL; i++) r[i] = correlation * r[i - 1] + fresh * random_normal(&random);
    count += test(r, SMALL) < level;
  }
  return count / (double)SMALL_TRIALS;
}

static void few_white_residuals_are_rarely_rejected(void **state) {
  (void)state;
  assert_true(rejected(lag1_p, 0, 1e-3) <= 1.5e-3);
  assert_true(rejected(runs_p, 0, 1e-3) <= 1.5e-3);
  assert_true(rejected(ljung_box_p, 0, 1e-3) <= 4e-3);
  assert_true(rejected(white_p, 0, 1e-3) <= 5e-3);
}

static void neighbours_tell_more_than_ten_lags(void **state) {
  (void)state;
  double one = rejected(lag1_p, 0.3, 1e-3), ten = rejected(ljung_box_p, 0.3, 1e-3);
  assert_true(one > 0.21);
  assert_true(ten < 0.14 && one > 1.8 * ten);
  assert_true(rejected(white_p, 0.3, 1e-3) > one);
  assert_true(rejected(lag1_p, -0.3, 1e-3) > 0.21);
}

static void the_least_of_the_three_counts(void **state) {
  (void)state;
  double r[N], rare[40];
  Random random;
  random_seed(&random, 7);
  for (int i = 0; i < N; i++) r[i] = random_normal(&random);
  assert_true(white_p(r, N) == fmin(lag1_p(r, N), fmin(ljung_box_p(r, N), runs_p(r, N))));
  for (int i = 0; i < 40; i++) rare[i] = i % 3 ? 0 : 1; // 15 of 40 have a sign
  rare[1] = 1;
  assert_true(isnan(runs_p(rare, 40)) && isfinite(white_p(rare, 40)));
}

static void coloured_residuals_are_found(void **state) {
  (void)state;
  double r[N], last = 0;
  Random random;
  random_seed(&random, 2);
  for (int i = 0; i < N; i++) r[i] = last = 0.8 * last + random_normal(&random);
  assert_close(autocorrelation(r, N, 1), 0.8, 0.08);
  assert_true(ljung_box_p(r, N) < 1e-6);
  assert_true(runs_p(r, N) < 1e-6);
  for (int i = 0; i < N; i++) r[i] = sin(0.1 * i) + 0.3 * random_normal(&random);
  assert_true(ljung_box_p(r, N) < 1e-6);
  assert_true(runs_p(r, N) < 1e-6);
}

static void little_or_nothing_tells_nothing(void **state) {
  (void)state;
  double zero[40] = {0}, up[40];
  for (int i = 0; i < 40; i++) up[i] = 1 + i;
  assert_true(isnan(ljung_box_p(zero, 40)) && isnan(runs_p(zero, 40)));
  assert_true(isnan(lag1_p(zero, 40)) && isnan(white_p(zero, 40)));
  assert_true(isnan(autocorrelation(zero, 40, 1)));
  assert_true(isnan(ljung_box_p(up, 19)) && isnan(runs_p(up, 19)));
  assert_true(isnan(lag1_p(up, 19)) && isnan(white_p(up, 19)) && isfinite(lag1_p(up, 20)));
  assert_true(isnan(white_p(up, 0)));
  assert_true(runs_p(up, 40) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(white_residuals_are_rejected_as_often_as_said),
      cmocka_unit_test(few_white_residuals_are_rarely_rejected),
      cmocka_unit_test(neighbours_tell_more_than_ten_lags),
      cmocka_unit_test(the_least_of_the_three_counts),
      cmocka_unit_test(coloured_residuals_are_found),
      cmocka_unit_test(little_or_nothing_tells_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
