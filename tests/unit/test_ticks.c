#include "draw/ticks.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static void ticks_are_round_increasing_and_inside(void **state) {
  (void)state;
  const double ends[][2] = {{0, 10},       {-1.7, 1.3},       {1e-9, 3e-9},
                            {-1e12, 1e11}, {1e9, 1e9 + 0.01}, {0.1, 0.1000001}};
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    for (int wanted = 2; wanted < 12; wanted++) {
      Ticks t;
      ticks_make(&t, ends[k][0], ends[k][1], wanted);
      double slack = 1e-6 * (ends[k][1] - ends[k][0]);
      assert_true(t.count >= 1 && t.count <= wanted + 1);
      for (int i = 0; i < t.count; i++) {
        assert_true(t.at[i] >= ends[k][0] - slack && t.at[i] <= ends[k][1] + slack);
        assert_close(t.at[i] / t.step, round(t.at[i] / t.step), 1e-3);
        if (i) assert_true(t.at[i] > t.at[i - 1]);
        if (i) assert_string_not_equal(t.label[i], t.label[i - 1]);
      }
    }
  }
}

static void labels_say_the_value(void **state) {
  (void)state;
  Ticks t;
  ticks_make(&t, -1, 1, 4);
  assert_int_equal(t.count, 5);
  assert_string_equal(t.label[0], "-1.0");
  assert_string_equal(t.label[2], "0.0");
  ticks_make(&t, 0, 4e-9, 4);
  assert_string_equal(t.label[1], "1e-9");
  ticks_make(&t, 0, 5e8, 5);
  assert_string_equal(t.label[3], "3e8");
  ticks_make(&t, 1672884000, 1672884100, 5); // seconds since 1970
  assert_string_equal(t.label[1], "1672884020");
  ticks_make(&t, 1672884000, 1672884001, 2);
  assert_string_equal(t.label[1], "1672884000.5");
}

static void fraction_is_linear_even_for_huge_ranges(void **state) {
  (void)state;
  assert_close(ticks_fraction(5, 0, 10), 0.5, 1e-15);
  assert_close(ticks_fraction(0, -DBL_MAX, DBL_MAX), 0.5, 1e-15);
  assert_close(ticks_fraction(DBL_MAX, -DBL_MAX, DBL_MAX), 1, 1e-15);
}

static void a_point_is_widened_to_an_interval(void **state) {
  (void)state;
  const double points[] = {0, 5, -5, 1e-310, 1e300, DBL_MAX, -DBL_MAX, 1e-20};
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
    double least = points[k], most = points[k];
    ticks_widen(&least, &most);
    assert_true(isfinite(least) && isfinite(most) && least < most);
    assert_true(least <= points[k] && points[k] <= most);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks_are_round_increasing_and_inside),
      cmocka_unit_test(labels_say_the_value),
      cmocka_unit_test(fraction_is_linear_even_for_huge_ranges),
      cmocka_unit_test(a_point_is_widened_to_an_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
