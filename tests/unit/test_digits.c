#include "write/digits.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "test.h"

static uint64_t next(uint64_t *seed) { // xorshift
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static void assert_good(double v) {
  char text[DIGITS_SIZE], longer[32];
  digits_format(v, text);
  assert_close(strtod(text, NULL), v, 0);
  number_format(v, longer);
  if (fabs(v) >= DBL_MIN) assert_true(strlen(text) <= strlen(longer));
}

static void all_sizes_read_back_as_the_same(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = next(&seed);
    double v;
    memcpy(&v, &bits, sizeof v);
    if (isfinite(v)) assert_good(v);
  }
}

static void usual_sizes_read_back_as_the_same(void **state) {
  (void)state;
  uint64_t seed = 1234567;
  for (int i = 0; i < 100000; i++) {
    double v = ldexp((double)(next(&seed) >> 11), -(int)(next(&seed) % 100));
    assert_good(i % 2 ? v : -v);
  }
}

static void numbers_with_few_digits_stay_short(void **state) {
  (void)state;
  const char *texts[] = {
      "0.1",    "0.3",   "1e-07",   "1.5e-10", "30",     "100000", "123456789012345",
      "0.0001", "1e-05", "2.5e-05", "-7.25",   "-0.001", "99.99",  "0.1234567890123",
      "5e-324", "1e+22"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char text[DIGITS_SIZE];
    digits_format(strtod(texts[i], NULL), text);
    if (strcmp(texts[i], "5e-324") != 0) assert_string_equal(text, texts[i]);
    assert_close(strtod(text, NULL), strtod(texts[i], NULL), 0);
  }
}

static void neighbours_of_powers_of_ten_are_told_apart(void **state) {
  (void)state;
  for (int k = -12; k <= 17; k++) {
    double v = pow(10, k);
    assert_good(v);
    assert_good(nextafter(v, 0));
    assert_good(nextafter(v, INFINITY));
  }
}

static void zero_has_no_sign(void **state) {
  (void)state;
  char text[DIGITS_SIZE];
  digits_format(-0.0, text);
  assert_string_equal(text, "0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_sizes_read_back_as_the_same),
      cmocka_unit_test(usual_sizes_read_back_as_the_same),
      cmocka_unit_test(numbers_with_few_digits_stay_short),
      cmocka_unit_test(neighbours_of_powers_of_ten_are_told_apart),
      cmocka_unit_test(zero_has_no_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
