#include "problem/conversion.h"

#include "test.h"

typedef struct Pair {
  const char *a, *b;
  double one, many; // what 1 a and 100 a are in b
} Pair;

static const Pair PAIRS[] = {
    {"m", "cm", 100, 10000},         {"l/min", "m3/s", 1.0 / 60000, 1.0 / 600},
    {"degC", "K", 274.15, 373.15},   {"degF", "degC", -155.0 / 9, 340.0 / 9},
    {"K", "degC", -272.15, -173.15}, {"K", "degF", -457.87, -279.67},
};

static void values_are_converted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
    Conversion c;
    assert_int_equal(conversion_find(PAIRS[i].a, PAIRS[i].b, &c), CONVERSION_FOUND);
    assert_close_relative(c.gain + c.offset, PAIRS[i].one, 1e-12);
    assert_close_relative(100 * c.gain + c.offset, PAIRS[i].many, 1e-12);
  }
}

static void there_and_back_is_where_it_began(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
    Conversion there, back;
    conversion_find(PAIRS[i].a, PAIRS[i].b, &there);
    conversion_find(PAIRS[i].b, PAIRS[i].a, &back);
    assert_close_relative(there.gain * back.gain, 1.0, 1e-14);
    assert_close(back.gain * there.offset + back.offset, 0, 1e-12);
  }
}

static void what_cannot_be_converted_is_told_apart(void **state) {
  (void)state;
  Conversion c;
  assert_int_equal(conversion_find("degC", "degC", &c), CONVERSION_NONE);
  assert_int_equal(conversion_find("N.m", "J", &c), CONVERSION_NONE);
  assert_int_equal(conversion_find("kg", "m", &c), CONVERSION_IMPOSSIBLE);
  assert_int_equal(conversion_find("", "m", &c), CONVERSION_UNKNOWN);
  assert_int_equal(conversion_find("m", "bananas", &c), CONVERSION_UNKNOWN);
}

static void the_text_leaves_out_what_changes_nothing(void **state) {
  (void)state;
  char text[CONVERSION_TEXT_SIZE];
  assert_string_equal(conversion_text(&(Conversion){0.01, 0}, text), "gain: 0.01");
  assert_string_equal(conversion_text(&(Conversion){1, 273.15}, text), "offset: 273.15");
  assert_string_equal(conversion_text(&(Conversion){1.8, -459.67}, text),
                      "gain: 1.8, offset: -459.67");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_converted),
      cmocka_unit_test(there_and_back_is_where_it_began),
      cmocka_unit_test(what_cannot_be_converted_is_told_apart),
      cmocka_unit_test(the_text_leaves_out_what_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
