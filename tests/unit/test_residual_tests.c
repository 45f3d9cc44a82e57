#include "num/residual_tests.h"

#include "num/random.h"
#include "test.h"

enum { N = 300, TRIALS = 2000 };

typedef double Test(const double *r, int n);
static Test *const tests_of_whiteness[] = {ljung_box_p, runs_p};

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
  for (int test = 0; test < 2; test++)
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
  assert_true(isnan(autocorrelation(zero, 40, 1)));
  assert_true(isnan(ljung_box_p(up, 19)) && isnan(runs_p(up, 19)));
  assert_true(runs_p(up, 40) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(white_residuals_are_rejected_as_often_as_said),
      cmocka_unit_test(coloured_residuals_are_found),
      cmocka_unit_test(little_or_nothing_tells_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
