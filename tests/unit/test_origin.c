#include "simulate/origin.h"

#include <string.h>

#include "random_expression.h"
#include "test.h"

static const double EPOCH = 1672884000; // s since 1970, in January 2023

static void the_origin_loses_nothing(void **state) {
  (void)state;
  Rng r = {1};
  int counted = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double size = pow(10, rng_between(&r, -3, 18)), start = rng_between(&r, -size, size), times[5];
    if (trial % 2) start = rint(start);
    for (int i = 0; i < 5; i++)
      times[i] = start + fabs(start) * pow(10, rng_between(&r, -12, 3)) * rng_uniform(&r);
    double origin = time_origin(start, times, 5);
    assert_true(origin == 0 || origin == start);
    counted += origin != 0;
    for (int i = 0; i < 5; i++) assert_true(origin + (times[i] - origin) == times[i]);
  }
  assert_true(counted > 1000);
}

static void times_far_from_0_count_from_the_start(void **state) {
  (void)state;
  Rng r = {2};
  for (int trial = 0; trial < 20000; trial++) {
    double start = (trial % 2 ? -1 : 1) * pow(10, rng_between(&r, 0, 18)), times[4];
    for (int i = 0; i < 4; i++) times[i] = start + 0.49 * fabs(start) * rng_uniform(&r);
    assert_true(time_origin(start, times, 4) == start);
  }
}

static void no_times_are_no_problem(void **state) {
  (void)state;
  assert_true(time_origin(3, NULL, 0) == 3);
}

static void only_equal_times_that_are_large_are_too_close(void **state) {
  (void)state;
  assert_string_equal(times_too_close(2, 2).at, "");
  assert_string_equal(times_too_close(EPOCH, EPOCH + 1).at, "");
  assert_non_null(strstr(times_too_close(EPOCH, EPOCH).at, "2.4e-07"));
  assert_non_null(strstr(times_too_close(-1.7e18, -1.7e18).at, "2.6e+02"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_origin_loses_nothing),
      cmocka_unit_test(times_far_from_0_count_from_the_start),
      cmocka_unit_test(no_times_are_no_problem),
      cmocka_unit_test(only_equal_times_that_are_large_are_too_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
