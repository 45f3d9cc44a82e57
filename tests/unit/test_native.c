// External functions that the program has itself: texts. Tables: tests/unit/test_table.c and tests/lang.
#include "flattened.h"

static const char TEXTS[] =
    "function length\n  input String s;\n  output Integer n;\n"
    "  external \"C\" n = ModelicaStrings_length(s);\nend length;\n"
    "function part\n  input String s;\n  input Integer i;\n  input Integer k;\n  output String t;\n"
    "  external \"C\" t = ModelicaStrings_substring(s, i, k);\nend part;\n";

// A text is what its parts are, put together.
static void parts_of_a_text_make_the_text(void **state) {
  (void)state;
  static const char WORD[] = "identification";
  int n = (int)strlen(WORD);
  for (int i = 1; i < n; i++) {
    Arena *a = arena_new();
    const char *text =
        arena_print(a,
                    "%smodel M\n  constant String s = \"%s\";\n  Real x = length(s);\n"
                    "  Real y = if part(s, 1, %d) + part(s, %d, %d) == s then 1 else 0;\n"
                    "  Real z = length(part(s, %d, %d));\nend M;\n",
                    TEXTS, WORD, i, i + 1, n, i + 1, n);
    const AstModel *m = flat_new(a, text);
    assert_close(flat_number(m, "x", 0), n, 0);
    assert_close(flat_number(m, "y", 0), 1, 0);
    assert_close(flat_number(m, "z", 0), n - i, 0);
    arena_free(a);
  }
}

static void parts_outside_are_refused(void **state) {
  (void)state;
  static const char *const PARTS[] = {"0, 2", "2, 4", "3, 1", "-1, 1", "1, 2000000000"};
  for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
    Arena *a = arena_new();
    Err err = {0};
    assert_null(
        flat_try(a,
                 arena_print(a, "%smodel M\n  parameter String s = part(\"abc\", %s);\nend M;\n",
                             TEXTS, PARTS[i]),
                 &err));
    assert_non_null(strstr(err.text, "substring"));
    arena_free(a);
  }
}

// The name of a known function with other arguments is no crash.
static void wrong_arguments_are_refused(void **state) {
  (void)state;
  static const char *const NAMES[] = {"ModelicaStrings_length",
                                      "ModelicaStrings_substring",
                                      "ModelicaStrings_compare",
                                      "ModelicaStrings_skipWhiteSpace",
                                      "ModelicaStandardTables_CombiTable1D_getValue",
                                      "ModelicaStandardTables_CombiTimeTable_getValue",
                                      "ModelicaStandardTables_CombiTable2D_getValue",
                                      "ModelicaStandardTables_CombiTable1D_minimumAbscissa"};
  static const char *const INPUTS[] = {"", "  input Real u;\n", "  input String s;\n"};
  static const char *const CALLS[] = {"f()", "f(1e300)", "f(\"a\")"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    for (int k = 0; k < 3; k++) {
      Arena *a = arena_new();
      Err err = {0};
      const char *text =
          arena_print(a,
                      "function f\n%s  output Real y;\n  external \"C\" y = %s();\nend f;\n"
                      "model M\n  Real x = %s;\nend M;\n",
                      INPUTS[k], NAMES[i], CALLS[k]);
      const AstModel *m = flat_try(a, text, &err);
      assert_int_equal(m == NULL, err.code != ERR_NONE);
      arena_free(a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_a_text_make_the_text),
      cmocka_unit_test(parts_outside_are_refused),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
