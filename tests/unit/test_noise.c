#include "num/noise.h"

#include "num/random.h"
#include "test.h"

enum { N = 2000 };

static void make_times(double *t, int n, double step, double jitter) {
  Random r;
  random_seed(&r, 9);
  for (int i = 0; i < n; i++) t[i] = step * (i + jitter * (random_uniform(&r) - 0.5));
}

static void noise_on_a_smooth_signal_is_found(void **state) {
  (void)state;
  double t[N], y[N];
  for (int k = 0; k < 4; k++) {
    double jitter = k % 2 ? 0.8 : 0, sigma = k < 2 ? 0.05 : 1e-5;
    Random r;
    random_seed(&r, 1);
    make_times(t, N, 0.01, jitter);
    for (int i = 0; i < N; i++) y[i] = 3 + sin(4 * t[i]) + 0.1 * t[i] + sigma * random_normal(&r);
    assert_close_relative(noise_deviation(t, y, N), sigma, 0.08);
  }
}

// Formula (9) of the paper: what counts is the mean square.
static void noise_in_proportion_counts_by_its_mean_square(void **state) {
  (void)state;
  double t[N], y[N];
  Random r;
  random_seed(&r, 2);
  make_times(t, N, 0.01, 0);
  for (int i = 0; i < N; i++) y[i] = sin(3 * t[i]) * (1 + 0.05 * random_normal(&r));
  assert_close_relative(noise_deviation(t, y, N), 0.05 * sqrt(0.5), 0.1);
}

static void smooth_data_have_next_to_none(void **state) {
  (void)state;
  double t[N], y[N];
  for (int k = 0; k < 2; k++) {
    make_times(t, N, 0.01, 0.5 * k);
    for (int i = 0; i < N; i++) y[i] = sin(2 * t[i]);
    assert_true(noise_deviation(t, y, N) < 1e-10);
  }
}

static void polynomials_and_units_do_not_matter(void **state) {
  (void)state;
  double t[N], y[N], z[N], late[N];
  Random r;
  random_seed(&r, 3);
  make_times(t, N, 1e-4, 0.5);
  for (int i = 0; i < N; i++) {
    y[i] = random_normal(&r);
    z[i] = 1e3 * (y[i] + 100 * t[i] * t[i]);
    late[i] = 1e6 * t[i];
  }
  double noise = noise_deviation(t, y, N);
  assert_close(noise, 1, 0.08);
  assert_close_relative(noise_deviation(late, z, N), 1e3 * noise, 1e-3);
}

static void coarse_samples_give_too_much_never_too_little(void **state) {
  (void)state;
  double t[400], y[400];
  Random r;
  random_seed(&r, 4);
  make_times(t, 400, 0.9, 0);
  for (int i = 0; i < 400; i++) y[i] = sin(3 * t[i]) + 0.01 * random_normal(&r);
  assert_true(noise_deviation(t, y, 400) > 0.01);
}

static void few_samples_tell_nothing(void **state) {
  (void)state;
  double t[11], y[11];
  for (int i = 0; i < 11; i++) t[i] = i, y[i] = i % 2;
  assert_true(isnan(noise_deviation(t, y, 10)));
  assert_true(isfinite(noise_deviation(t, y, 11)));
  assert_true(isnan(noise_deviation(t, y, 0)));
}

static void jumps_that_are_known_do_not_count(void **state) {
  (void)state;
  double t[400], y[400];
  int jump[10];
  Random random;
  random_seed(&random, 6);
  for (int i = 0; i < 400; i++) {
    t[i] = 0.1 * i;
    y[i] = sin(t[i]) + 3 * (i / 40 % 2) + 0.02 * random_normal(&random);
  }
  for (int k = 0; k < 9; k++) jump[k] = 40 * k + 39; // between samples 39 and 40, ...
  assert_true(noise_deviation(t, y, 400) > 0.1);
  assert_close(noise_deviation_between(t, y, 400, jump, 9), 0.02, 0.003);
}

static void outliers_hardly_count(void **state) {
  (void)state;
  double t[400], y[400];
  Random random;
  random_seed(&random, 5);
  for (int i = 0; i < 400; i++) t[i] = 0.1 * i, y[i] = sin(t[i]) + 0.02 * random_normal(&random);
  double clean = noise_deviation_robust(t, y, 400);
  assert_close(clean, 0.02, 0.004);
  for (int i = 10; i < 400; i += 40) y[i] += 5;
  assert_true(noise_deviation(t, y, 400) > 0.3);
  assert_close(noise_deviation_robust(t, y, 400), 0.02, 0.008);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_on_a_smooth_signal_is_found),
      cmocka_unit_test(noise_in_proportion_counts_by_its_mean_square),
      cmocka_unit_test(smooth_data_have_next_to_none),
      cmocka_unit_test(polynomials_and_units_do_not_matter),
      cmocka_unit_test(coarse_samples_give_too_much_never_too_little),
      cmocka_unit_test(few_samples_tell_nothing),
      cmocka_unit_test(jumps_that_are_known_do_not_count),
      cmocka_unit_test(outliers_hardly_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
