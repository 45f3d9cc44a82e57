#include "cli/arguments.h"

#include <string.h>

#include "test.h"

// The flags of simulate have every kind: switches, values, one that may be left out, options of the library.
static bool parse(Arguments *a, const char *const *words) {
  int count = 0;
  while (words[count]) count++;
  return arguments_parse(a, &CMD_SIMULATE, count, (char **)words);
}

#define PARSE(a, ...) parse((a), (const char *const[]){__VA_ARGS__, NULL})

static void flags_may_stand_anywhere_and_carry_equals(void **state) {
  (void)state;
  Arguments a;
  assert_true(PARSE(&a, "--stop", "5", "m.mo", "--step=0.5", "--plot", "-ofile"));
  assert_int_equal(a.word_count, 1);
  assert_string_equal(a.words[0], "m.mo");
  assert_string_equal(arguments_value(&a, "stop"), "5");
  assert_string_equal(arguments_value(&a, "step"), "0.5");
  assert_string_equal(arguments_value(&a, "output"), "file");
  assert_true(arguments_have(&a, "plot"));
  assert_false(arguments_have(&a, "json"));
  arguments_done(&a);
}

static void a_letter_takes_its_value_as_a_name_does(void **state) {
  (void)state;
  static const char *const FORMS[][3] = {
      {"--output", "f=g"}, {"--output=f=g"}, {"-o", "f=g"}, {"-of=g"}, {"-o=f=g"}};
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    Arguments a;
    assert_true(PARSE(&a, "m.mo", FORMS[i][0], FORMS[i][1]));
    assert_string_equal(arguments_value(&a, "output"), "f=g");
    arguments_done(&a);
  }
}

static void the_last_of_equal_flags_counts(void **state) {
  (void)state;
  Arguments a;
  assert_true(PARSE(&a, "m.mo", "--stop", "5", "--stop", "-6"));
  assert_string_equal(arguments_value(&a, "stop"), "-6");
  arguments_done(&a);
}

static void an_argument_that_may_be_left_out_is_no_model_and_no_flag(void **state) {
  (void)state;
  Arguments a;
  assert_true(PARSE(&a, "--sensitivities", "m.mo"));
  assert_true(arguments_have(&a, "sensitivities"));
  assert_null(arguments_value(&a, "sensitivities"));
  arguments_done(&a);
  assert_true(PARSE(&a, "m.mo", "--sensitivities", "--plot"));
  assert_null(arguments_value(&a, "sensitivities"));
  arguments_done(&a);
  assert_true(PARSE(&a, "--sensitivities", "p,q", "m.mo"));
  assert_string_equal(arguments_value(&a, "sensitivities"), "p,q");
  arguments_done(&a);
}

static void options_of_the_library_are_flags(void **state) {
  (void)state;
  Arguments a;
  assert_true(PARSE(&a, "m.mo", "--rel_tol=1e-3", "--abs-tol", "0"));
  assert_int_equal(a.given_count, 2);
  assert_null(a.given[0].flag);
  assert_string_equal(a.given[0].name, "rel_tol");
  assert_string_equal(a.given[1].name, "abs_tol");
  assert_string_equal(a.given[1].value, "0");
  arguments_done(&a);
}

static void two_dashes_end_the_flags(void **state) {
  (void)state;
  Arguments a;
  assert_true(PARSE(&a, "--", "--plot"));
  assert_string_equal(a.words[0], "--plot");
  arguments_done(&a);
}

static void wrong_words_are_refused(void **state) {
  (void)state;
  const char *wrong[][3] = {{"m.mo", "--stop"}, {"m.mo", "--plot=1"}, {"m.mo", "--nothing"},
                            {"m.mo", "-q"},     {"m.mo", "other.mo"}, {"--plot"},
                            {"m.mo", "--=3"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Arguments a;
    assert_false(parse(&a, wrong[i]));
    arguments_done(&a);
  }
}

static void help_needs_no_model(void **state) {
  (void)state;
  Arguments a;
  assert_true(PARSE(&a, "--help"));
  assert_true(a.wants_help);
  arguments_done(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flags_may_stand_anywhere_and_carry_equals),
      cmocka_unit_test(a_letter_takes_its_value_as_a_name_does),
      cmocka_unit_test(the_last_of_equal_flags_counts),
      cmocka_unit_test(an_argument_that_may_be_left_out_is_no_model_and_no_flag),
      cmocka_unit_test(options_of_the_library_are_flags),
      cmocka_unit_test(two_dashes_end_the_flags),
      cmocka_unit_test(wrong_words_are_refused),
      cmocka_unit_test(help_needs_no_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
