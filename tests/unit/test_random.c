#include "num/random.h"

#include "test.h"

static void numbers_follow_from_the_seed(void **state) {
  (void)state;
  Random a, b, c;
  random_seed(&a, 42);
  random_seed(&b, 42);
  random_seed(&c, 43);
  int same = 0;
  for (int i = 0; i < 100; i++) {
    double x = random_uniform(&a);
    assert_true(x == random_uniform(&b));
    same += x == random_uniform(&c);
  }
  assert_int_equal(same, 0);
}

static void streams_do_not_depend_on_what_others_draw(void **state) {
  (void)state;
  Random first, again, other;
  random_seed_stream(&first, 1, 7);
  random_seed_stream(&again, 1, 7);
  random_seed_stream(&other, 1, 8);
  for (int i = 0; i < 10; i++) {
    double x = random_normal(&first);
    assert_true(x == random_normal(&again));
    assert_true(x != random_normal(&other));
  }
}

static void neighbouring_streams_are_uncorrelated(void **state) {
  (void)state;
  double sum = 0;
  for (uint64_t i = 0; i < 4000; i++) {
    Random a, b;
    random_seed_stream(&a, 1, i);
    random_seed_stream(&b, i, 1);
    sum += random_normal(&a) * random_normal(&b);
  }
  assert_close(sum / 4000, 0, 4 / sqrt(4000.));
}

static void uniform_numbers_fill_the_open_interval(void **state) {
  (void)state;
  enum { N = 100000, BINS = 20 };
  Random r;
  random_seed(&r, 1);
  int count[BINS] = {0};
  for (int i = 0; i < N; i++) {
    double u = random_uniform(&r);
    assert_true(u > 0 && u < 1);
    count[(int)(u * BINS)]++;
  }
  double chi2 = 0, expected = (double)N / BINS;
  for (int i = 0; i < BINS; i++) chi2 += (count[i] - expected) * (count[i] - expected) / expected;
  assert_true(chi2 < 44); // 0.1 % of 19 degrees of freedom
}

static void normal_numbers_have_the_moments_of_the_normal_law(void **state) {
  (void)state;
  enum { N = 200000 };
  Random r;
  random_seed(&r, 1);
  double m[5] = {0};
  int beyond = 0;
  for (int i = 0; i < N; i++) {
    double z = random_normal(&r), power = 1;
    for (int k = 1; k <= 4; k++) m[k] += (power *= z) / N;
    beyond += fabs(z) > 1.959964;
  }
  assert_close(m[1], 0, 4 * sqrt(1. / N));
  assert_close(m[2], 1, 4 * sqrt(2. / N));
  assert_close(m[3], 0, 4 * sqrt(15. / N));
  assert_close(m[4], 3, 4 * sqrt(96. / N));
  assert_close((double)beyond / N, 0.05, 4 * sqrt(0.05 * 0.95 / N));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_follow_from_the_seed),
      cmocka_unit_test(streams_do_not_depend_on_what_others_draw),
      cmocka_unit_test(neighbouring_streams_are_uncorrelated),
      cmocka_unit_test(uniform_numbers_fill_the_open_interval),
      cmocka_unit_test(normal_numbers_have_the_moments_of_the_normal_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
