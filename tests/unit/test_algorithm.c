// Algorithm sections: the same statements as in functions, the same numbers.
#include "random_statements.h"

static void random_sections_have_their_numbers(void **state) {
  (void)state;
  for (int k = 0; k < 400; k++) check_steps(8000 + (uint64_t)k, true, true, true);
}

// A section that assigns each variable once is the list of these equations.
static void single_assignments_are_equations(void **state) {
  (void)state;
  assert_flat_equal("model M\n  Real x, y[2];\nalgorithm\n  x := time;\n  y := {1, 2};\nend M;\n",
                    "model M\n  Real x, y[2];\nequation\n  x = time;\n  y = {1, 2};\nend M;\n");
}

static void what_cannot_be_assigned_is_refused(void **state) {
  (void)state;
  static const char *const PREFIXES[] = {"parameter", "constant", "input"};
  for (int k = 0; k < 3; k++) {
    Arena *a = arena_new();
    assert_refused(
        arena_print(a, "model M\n  %s Real p = 1;\nalgorithm\n  p := 2;\nend M;\n", PREFIXES[k]), 4,
        PREFIXES[k]);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_sections_have_their_numbers),
      cmocka_unit_test(single_assignments_are_equations),
      cmocka_unit_test(what_cannot_be_assigned_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
