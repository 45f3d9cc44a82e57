// Functions of the user.
#include "random_statements.h"

static void random_straight_functions_have_their_numbers(void **state) {
  (void)state;
  for (int k = 0; k < 300; k++) check_steps(100 + (uint64_t)k, false, false, false);
}

// Named arguments in any order, with and without those that have a default.
static void the_order_of_named_arguments_does_not_matter(void **state) {
  (void)state;
  static const char *const CALLS[] = {
      "f(time, 2, 3)",
      "f(time, 2)",
      "f(time, c = 3, b = 2)",
      "f(b = 2, a = time)",
      "f(c = 3, b = 2, a = time)",
      "f(time, b = 2)",
  };
  for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
    Arena *a = arena_new();
    const char *text = arena_print(a,
                                   "function f\n  input Real a;\n  input Real b;\n"
                                   "  input Real c = 3;\n  output Real y = a + 10*b + 100*c;\n"
                                   "end f;\nmodel M\n  Real x = %s;\nend M;\n",
                                   CALLS[i]);
    assert_close(flat_number(flat_new(a, text), "x", 0.5), 320.5, 1e-12);
    arena_free(a);
  }
}

// f applied to an array is the array of f applied to its elements.
static void functions_of_scalars_act_on_elements(void **state) {
  (void)state;
  for (int n = 0; n < 6; n++) {
    Arena *a = arena_new();
    const char *f =
        "function f\n  input Real a;\n  output Real y = if a > 2 then sin(a) else 5*a;\nend f;\n";
    assert_flat_equal(arena_print(a,
                                  "%smodel M\n  parameter Real p[%d] = {i for i in 1:%d};\n  Real "
                                  "x[%d] = f(p);\nend M;\n",
                                  f, n, n, n),
                      arena_print(a,
                                  "%smodel M\n  parameter Real p[%d] = {i for i in 1:%d};\n  Real "
                                  "x[%d] = {f(p[i]) for i in 1:%d};\nend M;\n",
                                  f, n, n, n, n));
    arena_free(a);
  }
}

static void recursion_has_a_bound(void **state) {
  (void)state;
  static const char F[] = "function f\n  input Integer n;\n  output Integer y;\nalgorithm\n"
                          "  y := if n <= 0 then 0 else 1 + f(n - 1);\nend f;\n";
  for (int n = 0; n < 60; n += 7) {
    Arena *a = arena_new();
    const char *text = arena_print(a, "%smodel M\n  Real x = f(%d);\nend M;\n", F, n);
    assert_close(flat_number(flat_new(a, text), "x", 0), n, 0);
    arena_free(a);
  }
  assert_refused("function f\n  input Real n;\n  output Real y = f(n + 1);\nend f;\n"
                 "model M\n  Real x = f(1);\nend M;\n",
                 3, "does f end?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_straight_functions_have_their_numbers),
      cmocka_unit_test(the_order_of_named_arguments_does_not_matter),
      cmocka_unit_test(functions_of_scalars_act_on_elements),
      cmocka_unit_test(recursion_has_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
