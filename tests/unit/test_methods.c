// Methods as they are written: a word, or a composite one with its parts.
#include "problem/problem.h"

#include "test.h"

static void every_method_is_found_by_its_word(void **state) {
  (void)state;
  for (int i = 0; i < METHOD_COUNT; i++) {
    Method m = METHOD_COUNT;
    MethodParts parts;
    Err err = {0};
    assert_true(method_parse(method_word((Method)i), &m, &parts, &err));
    assert_int_equal(m, i);
    assert_int_equal(parts.count + parts.starts, 0);
    assert_true(strlen(method_meaning(m)) > 10);
  }
}

static void what_is_read_is_printed(void **state) {
  (void)state;
  static const char *const TEXTS[][2] = {
      {"lm", "lm"},
      {"trust-region", "lm"}, // another word for it
      {"multistart(trust-region, 3)", "multistart(lm, 3)"},
      {"multistart", "multistart"},
      {"multistart(lm, 50)", "multistart(lm, 50)"},
      {" multistart ( cma-es ) ", "multistart(cma-es)"},
      {"multistart(7)", "multistart(7)"},
      {"multistart(7,sqp)", "multistart(sqp, 7)"},
      {"portfolio(homotopy,ga , lm)", "portfolio(homotopy, ga, lm)"},
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
    Method m;
    MethodParts parts;
    Err err = {0};
    Text out;
    text_init(&out);
    assert_true(method_parse(TEXTS[i][0], &m, &parts, &err));
    method_print(m, &parts, &out);
    assert_string_equal(out.at, TEXTS[i][1]);
    text_done(&out);
  }
}

static void what_is_no_method_says_why(void **state) {
  (void)state;
  static const char *const TEXTS[][2] = {
      {"homotpy", "did you mean 'homotopy'?"},
      {"trust-regoin", "did you mean 'trust-region'?"}, // another word for lm
      {"", "'entrain methods' lists them"},
      {"lm(3)", "only multistart(method, n) and portfolio"},
      {"multistart(lm, 0)", "allowed are 1 to 10000000"},
      {"multistart(lm, 99999999999999999999)", "allowed are 1 to 10000000"},
      {"multistart(lm, 5, 6)", "not both 5 and 6"},
      {"multistart(lm, 1e9)", "allowed are 1 to 10000000"},
      {"multistart(lm, 2.5)", "allowed are 1 to 10000000"},
      {"multistart(lm, nan)", "allowed are 1 to 10000000"},
      {"multistart(lm, sqp)", "takes one method and a number of starts"},
      {"multistart(multistart)", "cannot be a part of"},
      {"multistart(lm", "stand between ( and )"},
      {"multistart(lm) x", "stand between ( and )"},
      {"multistart()", "unknown method ''"},
      {"portfolio(lm, 3)", "unknown method '3'"},
      {"portfolio(lm,lm,lm,lm,lm,lm,lm,lm,lm)", "at most 8 methods"},
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
    Method m;
    MethodParts parts;
    Err err = {0};
    assert_false(method_parse(TEXTS[i][0], &m, &parts, &err));
    if (!strstr(err.text, TEXTS[i][1])) print_error("%s: %s\n", TEXTS[i][0], err.text);
    assert_non_null(strstr(err.text, TEXTS[i][1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_is_found_by_its_word),
      cmocka_unit_test(what_is_read_is_printed),
      cmocka_unit_test(what_is_no_method_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
