#include "base/options.h"

#include <string.h>

#include "test.h"

typedef struct Sample {
  double speed;
  int count;
  int colour;
} Sample;

static const OptionRow ROWS[] = {
    {"speed", OPTION_double, offsetof(Sample, speed), "1.5", 0, 1e6, NULL, "of the wheel",
     "0 to 1e6"},
    {"count", OPTION_int, offsetof(Sample, count), "7", 1, 2e9, NULL, "of wheels", "1 to 2e9"},
    {"colour", OPTION_choice, offsetof(Sample, colour), "green", 0, 0, "red green blue",
     "of wheels", "red green blue"},
};
static const OptionSynonym SYNONYMS[] = {{"colour", "scarlet", "red"}};
static const OptionTable TABLE = {ROWS, 3, SYNONYMS, 1};

static Sample fresh(void) {
  Sample s;
  memset(&s, 0xff, sizeof s);
  options_defaults(&TABLE, &s);
  return s;
}

static void assert_refused(const char *name, const char *value, const char *expected) {
  Sample s = fresh(), before = s;
  Err err = {0};
  assert_false(options_set(&TABLE, &s, name, value, &err));
  assert_int_equal(err.code, ERR_OPTION);
  assert_string_equal(err.text, expected);
  assert_memory_equal(&s, &before, sizeof s);
}

static void defaults_are_those_of_the_table(void **state) {
  (void)state;
  Sample s = fresh();
  assert_close(s.speed, 1.5, 0);
  assert_int_equal(s.count, 7);
  assert_int_equal(s.colour, 1);
}

static void values_are_set_by_name(void **state) {
  (void)state;
  Sample s = fresh();
  Err err = {0};
  assert_true(options_set(&TABLE, &s, "speed", "2e-3", &err));
  assert_true(options_set(&TABLE, &s, "count", "1e6", &err));
  assert_true(options_set(&TABLE, &s, "colour", "blue", &err));
  assert_close(s.speed, 2e-3, 0);
  assert_int_equal(s.count, 1000000);
  assert_int_equal(s.colour, 2);
}

static void a_synonym_stands_for_a_choice_and_is_never_printed(void **state) {
  (void)state;
  Sample s = fresh();
  Err err = {0};
  Text text;
  text_init(&text);
  assert_true(options_set(&TABLE, &s, "colour", "scarlet", &err));
  assert_int_equal(s.colour, 0);
  options_print_changed(&TABLE, &s, &text);
  assert_string_equal(text.at, "colour=red");
  text_done(&text);
  assert_refused("speed", "scarlet", "speed must be a number, not 'scarlet'");
}

static void a_wrong_value_is_refused_and_changes_nothing(void **state) {
  (void)state;
  assert_refused("speed", "nan", "speed must be 0 to 1e6, not nan");
  assert_refused("speed", "inf", "speed must be 0 to 1e6, not inf");
  assert_refused("speed", "-1", "speed must be 0 to 1e6, not -1");
  assert_refused("speed", "fast", "speed must be a number, not 'fast'");
  assert_refused("speed", "", "speed must be a number, not ''");
  assert_refused("count", "1.5", "count must be a whole number, not 1.5");
  assert_refused("count", "0", "count must be 1 to 2e9, not 0");
  assert_refused("count", "3e9", "count must be 1 to 2e9, not 3e9");
}

static void an_unknown_choice_names_the_allowed_ones(void **state) {
  (void)state;
  assert_refused("colour", "gren",
                 "colour cannot be 'gren'; did you mean 'green'? It is one of red, green, blue");
  assert_refused("colour", "transparent",
                 "colour cannot be 'transparent'; it is one of red, green, blue");
  assert_refused("colour", "", "colour cannot be ''; it is one of red, green, blue");
  assert_refused("colour", "red green",
                 "colour cannot be 'red green'; it is one of red, green, blue");
}

static void an_unknown_name_gets_the_nearest_one(void **state) {
  (void)state;
  assert_refused("sped", "1", "unknown option 'sped'; did you mean 'speed'?");
  assert_refused("zzzzzz", "1", "unknown option 'zzzzzz'; 'entrain options' lists them");
}

static void only_changed_options_are_printed(void **state) {
  (void)state;
  Sample s = fresh();
  Text out;
  text_init(&out);
  options_print_changed(&TABLE, &s, &out);
  assert_string_equal(out.at, "");
  options_set(&TABLE, &s, "speed", "0.1", NULL);
  options_set(&TABLE, &s, "colour", "red", NULL);
  options_print_changed(&TABLE, &s, &out);
  assert_string_equal(out.at, "speed=0.1 colour=red");
  text_done(&out);
}

static void printed_values_read_back_as_the_same(void **state) {
  (void)state;
  Sample s = fresh(), copy;
  options_set(&TABLE, &s, "speed", "0.30000000000000004", NULL);
  options_set(&TABLE, &s, "count", "1999999999", NULL);
  copy = fresh();
  for (int i = 0; i < TABLE.count; i++) {
    char value[OPTION_WORD_SIZE];
    option_value(&ROWS[i], &s, value);
    assert_true(options_set(&TABLE, &copy, ROWS[i].name, value, NULL));
  }
  assert_memory_equal(&s, &copy, sizeof s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_table),
      cmocka_unit_test(values_are_set_by_name),
      cmocka_unit_test(a_synonym_stands_for_a_choice_and_is_never_printed),
      cmocka_unit_test(a_wrong_value_is_refused_and_changes_nothing),
      cmocka_unit_test(an_unknown_choice_names_the_allowed_ones),
      cmocka_unit_test(an_unknown_name_gets_the_nearest_one),
      cmocka_unit_test(only_changed_options_are_printed),
      cmocka_unit_test(printed_values_read_back_as_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
