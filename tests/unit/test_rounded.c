#include "write/rounded.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void assert_value(double value, double error, const char *expected) {
  char text[ROUNDED_SIZE];
  rounded_value(value, error, text);
  assert_string_equal(text, expected);
}

static void a_value_has_the_digits_of_its_error(void **state) {
  (void)state;
  assert_value(10.000234, 0.0018, "10.0002");
  assert_value(10.000234, 0.18, "10.00");
  assert_value(250342, 1234, "250300");
  assert_value(-250362, 1234, "-250400");
  assert_value(0.000123456, 1e-6, "0.0001235");
  assert_value(1.23456e-9, 1e-11, "1.235e-9");
  assert_value(3.14159e12, 1e10, "3.142e12");
  assert_value(1672884002.70341, 0.0018, "1672884002.7034"); // seconds since 1970
  assert_value(-1672884002.70341, 3.2, "-1672884002.7");
  assert_value(0.0001, 5, "0.0"); // far below its error
  assert_value(0, 0.5, "0.00");
}

static void without_an_error_six_digits_and_no_zeros(void **state) {
  (void)state;
  assert_value(10, nan(""), "10");
  assert_value(1.0 / 3, 0, "0.333333");
  assert_value(2e-7, HUGE_VAL, "2e-7");
  assert_value(nan(""), 1, "-");
  assert_value(HUGE_VAL, 1, "inf");
}

static void an_error_far_below_the_value_does_not_show_noise(void **state) {
  (void)state;
  assert_value(10.00000000012, 1e-12, "10");
  assert_value(9.99999999, 1e-12, "10");
  assert_value(1.23456789012, 1e-12, "1.2345679");
}

static void errors_have_two_digits(void **state) {
  (void)state;
  char text[ROUNDED_SIZE];
  const struct {
    double error;
    const char *text;
  } CASES[] = {
      {0.01, "0.010"}, {0.00123, "0.0012"}, {12345, "12000"}, {1.2e-9, "1.2e-9"}, {nan(""), "-"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    rounded_error(CASES[i].error, text);
    assert_string_equal(text, CASES[i].text);
  }
}

static void assert_interval(double value, double low, double high, const char *expected) {
  char text[ROUNDED_INTERVAL_SIZE];
  rounded_interval(value, low, high, text);
  assert_string_equal(text, expected);
}

static void an_interval_shows_its_width(void **state) {
  (void)state;
  assert_interval(10, 9.98123, 10.02345, "9.981 .. 10.023");
  assert_interval(0, -0.5, 0.5, "-0.50 .. 0.50");
  assert_interval(10, 10 - 6e-10, 10 + 6e-10, "± 6e-10");
  assert_interval(1, nan(""), nan(""), "-");
  assert_interval(1, -HUGE_VAL, 3, "-inf .. 3");
}

// Whatever the number: what is printed reads back within half a unit of the last digit that the error leaves.
static void printed_values_are_near(void **state) {
  (void)state;
  char text[ROUNDED_SIZE];
  for (int i = -200; i <= 200; i++)
    for (int k = 1; k <= 6; k++) {
      double value = (i % 2 ? 1 : -1) * pow(10, i / 10.0), error = fabs(value) * pow(10, -k);
      rounded_value(value, error, text);
      assert_close(strtod(text, NULL), value, 0.051 * error);
      assert_true(strlen(text) < 16);
    }
}

static void seconds_have_a_unit(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } CASES[] = {{0, "0 us"},    {0.0000123, "12 us"}, {0.00123, "1.2 ms"}, {0.337, "337 ms"},
               {12.3, "12 s"}, {1.25, "1.2 s"},      {101, "101 s"},      {200, "3 min 20 s"}};
  char text[ROUNDED_SIZE];
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    rounded_seconds(CASES[i].seconds, text);
    assert_string_equal(text, CASES[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_has_the_digits_of_its_error),
      cmocka_unit_test(without_an_error_six_digits_and_no_zeros),
      cmocka_unit_test(an_error_far_below_the_value_does_not_show_noise),
      cmocka_unit_test(errors_have_two_digits),
      cmocka_unit_test(an_interval_shows_its_width),
      cmocka_unit_test(printed_values_are_near),
      cmocka_unit_test(seconds_have_a_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
