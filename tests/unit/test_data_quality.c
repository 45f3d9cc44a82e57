// What is said about samples is true of them, and nothing is said about good ones.
#include "study/data_quality.h"

#include "num/random.h"
#include "test.h"

enum { COUNT = 400 };

typedef struct Samples {
  double t[COUNT], y[COUNT];
} Samples;

// 10 oscillations of 40 samples.
static Samples sine(double noise, uint64_t seed) {
  Samples s;
  Random r;
  random_seed(&r, seed);
  for (int i = 0; i < COUNT; i++) {
    s.t[i] = 0.1 * i;
    s.y[i] = 3 * sin(2 * M_PI * s.t[i] / 4) + noise * random_normal(&r);
  }
  return s;
}

static DataQuality quality(const Samples *s) {
  DataQuality q;
  data_quality(s->t, s->y, COUNT, NULL, &q);
  return q;
}

static void nothing_is_found_in_good_data(void **state) {
  (void)state;
  for (int seed = 0; seed < 200; seed++) {
    Samples s = sine(seed % 4 * 0.1, (uint64_t)seed);
    DataQuality q = quality(&s);
    assert_int_equal(q.outliers, 0);
    assert_int_equal(q.clipped, 0);
    assert_false(q.constant);
    assert_close(q.step_most, q.step_least, 1e-9);
    assert_close(q.period, 4, 0.15);
  }
}

static void noise_that_grows_with_the_motion_makes_hardly_any_wrong_samples(void **state) {
  (void)state;
  int found = 0;
  for (int seed = 0; seed < 200; seed++) {
    Samples s = sine(0, 1);
    Random r;
    random_seed(&r, (uint64_t)seed);
    for (int i = 0; i < COUNT; i++) // large for a quarter of the time
      s.y[i] *= (0.1 + 10 * exp(-pow((i - 200) / 60.0, 2))) * (1 + 0.05 * random_normal(&r));
    found += quality(&s).outliers;
  }
  assert_in_range(found, 0, 2);
}

static void sizes_are_those_of_a_sine(void **state) {
  (void)state;
  Samples s = sine(0, 1);
  DataQuality q = quality(&s);
  assert_close(q.rms, 3 / sqrt(2), 1e-6);
  assert_close(q.deviation, 3 / sqrt(2), 1e-6);
  assert_close(q.most, 3, 1e-6);
  assert_close(q.least, -3, 1e-6);
  assert_true(q.noise < 1e-3);
}

static void noise_is_measured(void **state) {
  (void)state;
  Samples s = sine(0.2, 3);
  assert_close(quality(&s).noise, 0.2, 0.04);
}

static void a_wrong_sample_is_found_where_it_is(void **state) {
  (void)state;
  for (int at = 5; at < COUNT - 5; at += 13) {
    Samples s = sine(0.05, (uint64_t)at);
    s.y[at] += at % 2 ? 2 : -2;
    DataQuality q = quality(&s);
    assert_int_equal(q.outliers, 1);
    assert_close(q.outlier_t, s.t[at], 1e-12);
    assert_close(q.outlier_y, s.y[at], 1e-12);
  }
}

static void a_jump_is_no_wrong_sample(void **state) {
  (void)state;
  Samples s = sine(0.01, 2);
  for (int i = 150; i < COUNT; i++) s.y[i] += 4;
  assert_int_equal(quality(&s).outliers, 0);
}

static void a_sample_that_something_pushed_is_not_wrong(void **state) {
  (void)state;
  Samples s = sine(0.01, 2);
  bool jump[COUNT] = {false};
  DataQuality q;
  s.y[150] += 2;
  s.y[300] += 1;
  assert_int_equal(quality(&s).outliers, 2);
  jump[148] = true;
  data_quality(s.t, s.y, COUNT, jump, &q);
  assert_int_equal(q.outliers, 1);
  assert_close(q.outlier_t, s.t[300], 1e-12);
}

static void wrong_samples_are_found_between_uneven_steps(void **state) {
  (void)state;
  Samples s = sine(0, 1);
  for (int i = 0; i < COUNT; i++) {
    s.t[i] += 0.03 * sin(i * 1.7);
    s.y[i] = 3 * sin(2 * M_PI * s.t[i] / 4);
  }
  assert_int_equal(quality(&s).outliers, 0);
  s.y[200] += 1;
  DataQuality q = quality(&s);
  assert_int_equal(q.outliers, 1);
  assert_close(q.outlier_t, s.t[200], 1e-12);
  assert_true(q.step_most > 1.2 * q.step_least);
}

static void samples_at_a_limit_are_found(void **state) {
  (void)state;
  Samples s = sine(0, 1);
  for (int i = 0; i < COUNT; i++) s.y[i] = fmin(s.y[i], 2.5);
  DataQuality q = quality(&s);
  assert_true(q.clipped >= 4);
  assert_close(q.clipped_y, 2.5, 0);
}

static void rest_and_coarse_reading_are_no_limit(void **state) {
  (void)state;
  Samples s = sine(0, 1);
  for (int i = 0; i < COUNT; i++)
    s.y[i] = s.t[i] < 5 ? 0 : 1 - exp(-(s.t[i] - 5)); // a step from rest
  assert_int_equal(quality(&s).clipped, 0);
  s = sine(0, 1);
  for (int i = 0; i < COUNT; i++) s.y[i] = 0.5 * floor(s.y[i] / 0.5 + 0.5); // steps of half a unit
  assert_int_equal(quality(&s).clipped, 0);
}

static void a_gap_is_found_where_it_is(void **state) {
  (void)state;
  Samples s = sine(0, 1);
  for (int i = 100; i < COUNT; i++) s.t[i] += 2;
  DataQuality q = quality(&s);
  assert_close(q.gap_from, s.t[99], 1e-12);
  assert_close(q.gap_to, s.t[100], 1e-12);
  assert_close(q.step_most, 2.1, 1e-9);
  assert_close(q.step, 0.1, 1e-9);
}

static void few_and_constant_samples_are_taken_as_they_are(void **state) {
  (void)state;
  static const double T[] = {0, 1, 2, 3}, Y[] = {7, 7, 7, 7};
  DataQuality q;
  data_quality(T, Y, 4, NULL, &q);
  assert_true(q.constant);
  assert_true(isnan(q.period));
  data_quality(T, Y, 1, NULL, &q);
  assert_int_equal(q.count, 1);
  assert_false(q.constant);
  data_quality(T, Y, 0, NULL, &q);
  assert_int_equal(q.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_found_in_good_data),
      cmocka_unit_test(noise_that_grows_with_the_motion_makes_hardly_any_wrong_samples),
      cmocka_unit_test(sizes_are_those_of_a_sine),
      cmocka_unit_test(noise_is_measured),
      cmocka_unit_test(a_wrong_sample_is_found_where_it_is),
      cmocka_unit_test(a_jump_is_no_wrong_sample),
      cmocka_unit_test(a_sample_that_something_pushed_is_not_wrong),
      cmocka_unit_test(wrong_samples_are_found_between_uneven_steps),
      cmocka_unit_test(samples_at_a_limit_are_found),
      cmocka_unit_test(rest_and_coarse_reading_are_no_limit),
      cmocka_unit_test(a_gap_is_found_where_it_is),
      cmocka_unit_test(few_and_constant_samples_are_taken_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
