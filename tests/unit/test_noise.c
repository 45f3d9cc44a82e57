#include "num/noise.h"

#include "num/random.h"
#include "test.h"
#include "threshold.h"

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

// ---------------------------------------------------------------- signals that are sampled near their bandwidth

static const double NYQUIST = 3.14159265358979323846; // angle from sample to sample

// Sines up to a share of half the sampling rate, in noise of deviation 1.
static void make_fast(double *t, double *y, int n, double size, double share, uint64_t seed) {
  Random r;
  random_seed(&r, seed);
  for (int i = 0; i < n; i++) {
    t[i] = 0.1 * i;
    y[i] = size * (1 + sin(0.1 * i) + sin(0.4 * NYQUIST * i) + sin(share * NYQUIST * i + 1));
    y[i] += random_normal(&r);
  }
}

static void fast_signals_are_not_taken_for_noise(void **state) {
  (void)state;
  double t[N], y[N];
  for (int k = 0; k < 4; k++) {
    make_fast(t, y, N, 100, 0.4 + 0.1 * k, 21);
    assert_close(noise_deviation(t, y, N), 1, 0.1);
    make_fast(t, y, 400, 100, 0.4 + 0.1 * k, 22);
    assert_close(noise_deviation(t, y, 400), 1, 0.25);
  }
  make_fast(t, y, N, 100, 0.97, 21); // no frequency is left to the noise
  assert_true(noise_deviation(t, y, N) > 50);
}

static void offset_and_trend_of_fast_signals_do_not_matter(void **state) {
  (void)state;
  double t[N], y[N];
  make_fast(t, y, N, 100, 0.6, 28);
  double before = noise_deviation(t, y, N);
  for (int i = 0; i < N; i++) y[i] += 1e6 + 1e3 * t[i] - 10 * t[i] * t[i];
  assert_close_relative(noise_deviation(t, y, N), before, 1e-6);
}

static bool is_overestimated(void *data, double count) {
  double t[N], y[N];
  (void)data;
  make_fast(t, y, (int)count, 100, 0.6, 29);
  return noise_deviation(t, y, (int)count) > 10;
}

// The tenth of the frequencies has one independent number in ten samples, and 8 of them say enough.
static void fast_signals_need_124_samples(void **state) {
  (void)state;
  assert_turns(is_overestimated, NULL, 123, 124);
}

static void a_sweep_is_not_taken_for_noise(void **state) {
  (void)state;
  double t[N], y[N];
  Random r;
  random_seed(&r, 23);
  for (int i = 0; i < N; i++)
    t[i] = i, y[i] = 50 * sin(0.35 * NYQUIST * i * i / N) + random_normal(&r);
  assert_close(noise_deviation(t, y, N), 1, 0.1);
}

static void rounded_times_and_gaps_do_not_matter(void **state) {
  (void)state;
  double t[N], y[N];
  make_fast(t, y, N, 100, 0.6, 24);
  for (int i = 0; i < N; i++) t[i] = round(30 * t[i]) / 30 + 2 * (i * 6 / N);
  for (int i = 0; i < N; i++) y[i] += 100 * sin(0.6 * NYQUIST * i + 3) * (i * 6 / N); // jumps
  assert_close(noise_deviation(t, y, N), 1, 0.1);
}

// Differences of order 8 see a signal at 0.6 of half the sampling rate almost completely. A little of it counts as noise,
// until the highest frequencies tell it from noise at 4.5 deviations of their estimate, of which one is added.
static void the_highest_frequencies_count_when_they_are_clearly_lower(void **state) {
  (void)state;
  static const double INDEPENDENT = 0.1907; // share of the samples after the filter, of 44 factors
  double t[N], y[N], low = 0, high = 100, deviation = sqrt(2 / (INDEPENDENT * (N - 43)));
  make_fast(t, y, N, high, 0.6, 25);
  double after = noise_deviation(t, y, N);
  for (int k = 0; k < 50; k++) {
    double middle = (low + high) / 2;
    make_fast(t, y, N, middle, 0.6, 25);
    *(noise_deviation(t, y, N) > 1.01 * after ? &low : &high) = middle;
  }
  make_fast(t, y, N, low, 0.6, 25);
  assert_close_relative(log(noise_deviation(t, y, N) / after), (4.5 - 1) / 2 * deviation, 0.01);
}

// Noise that falls up to the highest frequencies has no floor there: 0.6 at 0.8 of half the sampling rate may be chance, 0.9
// may not.
static void falling_noise_is_not_estimated_by_its_end(void **state) {
  (void)state;
  int floors[2] = {0};
  for (int k = 0; k < 2; k++)
    for (uint64_t seed = 0; seed < 20; seed++) {
      double t[N], y[N];
      make_fast(t, y, N, 20, 0.6, 100 + seed);
      for (int i = 0; i < N; i++) y[i] += (k ? 0.9 : 0.6) * sin(0.8 * NYQUIST * i);
      floors[k] += noise_deviation(t, y, N) < 2;
    }
  assert_true(floors[0] >= 15);
  assert_true(floors[1] <= 5);
}

// One step in 20 is longer by so much.
static bool sees_the_floor(void *data, double longer) {
  double t[N], y[N];
  (void)data;
  make_fast(t, y, N, 100, 0.6, 30);
  for (int i = 0; i < N; i++) t[i] += 0.1 * longer * (i / 20);
  return noise_deviation(t, y, N) < 2;
}

static void steps_are_equal_up_to_5_percent(void **state) {
  (void)state;
  assert_threshold(sees_the_floor, NULL, 0.05);
}

static void known_jumps_of_fast_signals_do_not_count(void **state) {
  (void)state;
  double t[N], y[N];
  int jump[3] = {499, 999, 1499};
  make_fast(t, y, N, 100, 0.6, 31);
  for (int i = 0; i < N; i++) y[i] += 1e5 * (i / 500);
  assert_true(noise_deviation(t, y, N) > 100);
  assert_close(noise_deviation_between(t, y, N, jump, 3), 1, 0.1);
}

// Quantiles of the ratio of the mean square of white noise to its estimate (docs: the test of the objective against the
// noise allows ln(ratio) up to 2.25 z/sqrt(N) (1 + 3/sqrt(N)) at the normal quantile z).
static void estimates_are_rarely_far_too_small(void **state) {
  (void)state;
  enum { TRIALS = 4000 };
  static const int COUNT[] = {30, 60, 100, 200, 500};
  for (int fast = 0; fast < 2; fast++)
    for (int k = fast ? 3 : 0; k < 5; k++) {
      double t[500], y[500], z = 2.326, root = sqrt(COUNT[k]); // 1 %
      int beyond = 0;
      for (int trial = 0; trial < TRIALS; trial++) {
        double size = fast ? 100 : 0, square = 0;
        Random r;
        random_seed_stream(&r, 27, (uint64_t)trial);
        for (int i = 0; i < COUNT[k]; i++) {
          double noise = random_normal(&r);
          t[i] = i, y[i] = noise + size * sin(0.67 * NYQUIST * i);
          square += noise * noise / COUNT[k];
        }
        double ratio = square / pow(noise_deviation(t, y, COUNT[k]), 2);
        beyond += log(ratio) > 2.25 * z / root * (1 + 3 / root);
      }
      assert_true(beyond <= 0.015 * TRIALS);
      assert_true(fast || beyond >= 0.003 * TRIALS);
    }
}

// ---------------------------------------------------------------- coarse readings

static void readings_have_at_least_the_noise_of_rounding(void **state) {
  (void)state;
  double t[N], y[N], quantum = 0.1;
  for (int i = 0; i < N; i++) t[i] = i, y[i] = 3 + quantum * round(sin(0.002 * i) / quantum);
  assert_close_relative(noise_deviation(t, y, N), quantum / sqrt(12), 1e-9);
  for (int i = 0; i < N; i++) y[i] = quantum * round(0.33 * sin(0.002 * i) / quantum); // 7 levels
  assert_true(noise_deviation(t, y, N) < 0.8 * quantum / sqrt(12));
  for (int i = 0; i < N; i++) y[i] = quantum * floor(0.4 * (1 + sin(0.002 * i)) / quantum); // 8
  assert_close_relative(noise_deviation(t, y, N), quantum / sqrt(12), 1e-9);
  for (int i = 0; i < N; i++) y[i] = quantum * (i + i % 2); // each level once or twice
  assert_true(noise_deviation(t, y, N) > 0.1 * quantum);
  for (int i = 0; i < N; i++) y[i] = quantum * i;
  assert_true(noise_deviation(t, y, N) < 1e-9);
  for (int i = 0; i < N; i++) y[i] = i < N / 2 ? 1 : 1 + exp(-0.01 * i) - exp(-0.005 * N);
  assert_true(noise_deviation(t, y, N) < 1e-3); // at rest, then in motion
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
      cmocka_unit_test(fast_signals_are_not_taken_for_noise),
      cmocka_unit_test(offset_and_trend_of_fast_signals_do_not_matter),
      cmocka_unit_test(fast_signals_need_124_samples),
      cmocka_unit_test(a_sweep_is_not_taken_for_noise),
      cmocka_unit_test(rounded_times_and_gaps_do_not_matter),
      cmocka_unit_test(the_highest_frequencies_count_when_they_are_clearly_lower),
      cmocka_unit_test(steps_are_equal_up_to_5_percent),
      cmocka_unit_test(known_jumps_of_fast_signals_do_not_count),
      cmocka_unit_test(falling_noise_is_not_estimated_by_its_end),
      cmocka_unit_test(estimates_are_rarely_far_too_small),
      cmocka_unit_test(readings_have_at_least_the_noise_of_rounding),
      cmocka_unit_test(few_samples_tell_nothing),
      cmocka_unit_test(jumps_that_are_known_do_not_count),
      cmocka_unit_test(outliers_hardly_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
