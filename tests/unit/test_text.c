#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void text_grows_as_it_is_added(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  assert_string_equal(t.at, "");
  for (int i = 0; i < 3000; i++) {
    text_print(&t, "%d", i % 10);
    assert_int_equal(t.length, (size_t)i + 1);
    assert_int_equal(strlen(t.at), t.length);
  }
  for (int i = 0; i < 3000; i++) assert_int_equal(t.at[i], '0' + i % 10);
  text_clear(&t);
  text_add(&t, "ab");
  text_add_bytes(&t, "cdef", 2);
  assert_string_equal(t.at, "abcd");
  text_done(&t);
}

static void numbers_read_back_as_they_were(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    double value, back;
    memcpy(&value, &seed, sizeof value);
    if (i % 2) value = (double)(int)(seed >> 40) / 1000;
    if (!isfinite(value)) continue;
    char text[32];
    number_format(value, text);
    assert_true(number_parse(text, &back));
    assert_true(value == back);
  }
}

static void numbers_have_their_shortest_form(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } FORMS[] = {{0.1, "0.1"},   {1e-7, "1e-07"},      {12345, "12345"},  {0, "0"},
               {-2.5, "-2.5"}, {(double)NAN, "NaN"}, {HUGE_VAL, "Inf"}, {-HUGE_VAL, "-Inf"}};
  for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++) {
    char text[32];
    number_format(FORMS[k].value, text);
    assert_string_equal(text, FORMS[k].text);
  }
}

static void times_have_the_digits_that_their_span_needs(void **state) {
  (void)state;
  static const struct {
    double t, span;
    int digits;
    const char *text;
  } FORMS[] = {{0, 10, 6, "0"},
               {1 / 3., 10, 6, "0.333333"},
               {99.5, 10, 6, "99.5"},
               {1672884000, 600, 6, "1672884000"},
               {1672884000.25, 600, 6, "1672884000.25"},
               {-1672884000.123456, 600, 10, "-1672884000.123456"},
               {1672884000.123456, 0, 6, "1672884000.123456"},
               {1.5e18, 1e9, 6, "1.5e+18"}};
  for (size_t k = 0; k < sizeof FORMS / sizeof *FORMS; k++) {
    char text[32];
    assert_string_equal(time_format(FORMS[k].t, FORMS[k].span, FORMS[k].digits, text),
                        FORMS[k].text);
  }
  for (double span = 1e-3; span < 1e6; span *= 10) {
    char a[32], b[32];
    time_format(1672884000, span, 6, a), time_format(1672884000 + span / 1e3, span, 6, b);
    assert_string_not_equal(a, b);
  }
}

static void a_number_fills_the_whole_text(void **state) {
  (void)state;
  static const char *const BAD[] = {"", " ", "1x", "1 2", "--1", "e5", "1,5", "0x"};
  double value;
  for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++) assert_false(number_parse(BAD[k], &value));
  assert_true(number_parse("  -2.5e3 ", &value) && value == -2500);
  assert_true(number_parse("nan", &value) && isnan(value));
  assert_true(number_parse("inf", &value) && isinf(value));
}

static void json_strings_are_escaped(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  text_add_json(&t, "a\"b\\c\nd\te\x01");
  assert_string_equal(t.at, "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
  text_done(&t);
}

static void the_nearest_name_is_near(void **state) {
  (void)state;
  static const char *const NAMES[] = {"method", "options", "estimate"};
  assert_string_equal(nearest_name("metod", NAMES, 3), "method");
  assert_string_equal(nearest_name("estimates", NAMES, 3), "estimate");
  assert_null(nearest_name("weights", NAMES, 3));
  assert_null(nearest_name("method", NAMES, 0));
}

static void numbers_that_no_double_holds_are_refused(void **state) {
  (void)state;
  static const char *const LARGE[] = {"1e400", "-1e309", " 1.8e308 ", "0.1e999"};
  static const char *const SMALL[] = {"1e-400", "-0.0001e-330", "2e-324"};
  static const char *const FINE[] = {"1e308", "5e-324", "0",   "-0.0",
                                     "0e999", "0e-999", "inf", "nan"};
  double v;
  for (size_t i = 0; i < sizeof LARGE / sizeof *LARGE; i++) {
    assert_false(number_parse(LARGE[i], &v));
    assert_string_equal(number_beyond(LARGE[i]), "too large");
  }
  for (size_t i = 0; i < sizeof SMALL / sizeof *SMALL; i++) {
    assert_false(number_parse(SMALL[i], &v));
    assert_string_equal(number_beyond(SMALL[i]), "too small: it would become 0");
  }
  for (size_t i = 0; i < sizeof FINE / sizeof *FINE; i++) {
    assert_true(number_parse(FINE[i], &v));
    assert_null(number_beyond(FINE[i]));
  }
  assert_null(number_beyond("1e400x"));
  assert_null(number_beyond("k"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_grows_as_it_is_added),
      cmocka_unit_test(numbers_read_back_as_they_were),
      cmocka_unit_test(numbers_have_their_shortest_form),
      cmocka_unit_test(times_have_the_digits_that_their_span_needs),
      cmocka_unit_test(a_number_fills_the_whole_text),
      cmocka_unit_test(json_strings_are_escaped),
      cmocka_unit_test(the_nearest_name_is_near),
      cmocka_unit_test(numbers_that_no_double_holds_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
