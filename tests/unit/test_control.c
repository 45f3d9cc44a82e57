#include "simulate/control.h"

#include "test.h"

static void power_has_four_digits(void **state) {
  (void)state;
  for (double x = 1e-12; x < 1e12; x *= 1.037)
    for (double e = -1; e <= 1; e += 0.05)
      assert_close_relative(control_power(x, e), pow(x, e), 1e-4);
}

static void power_is_continuous_where_the_exponent_changes(void **state) {
  (void)state;
  for (double x = 1e-9; x < 1e9; x *= 2) {
    double at = exp2(floor(log2(x)));
    assert_close_relative(control_power(nextafter(at, 0), 0.2), control_power(at, 0.2), 1e-12);
  }
}

static void finite_sees_every_place(void **state) {
  (void)state;
  for (int count = 1; count < 12; count++)
    for (int i = 0; i < count; i++) {
      double v[12] = {1, 2, 3};
      assert_true(control_finite(v, count));
      v[i] = (double)NAN;
      assert_false(control_finite(v, count));
      v[i] = -HUGE_VAL;
      assert_false(control_finite(v, count));
    }
  assert_true(control_finite(NULL, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_has_four_digits),
      cmocka_unit_test(power_is_continuous_where_the_exponent_changes),
      cmocka_unit_test(finite_sees_every_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
