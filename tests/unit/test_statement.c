// Statements: choices and loops.
#include "random_statements.h"

static void random_choices_have_their_numbers(void **state) {
  (void)state;
  for (int k = 0; k < 400; k++) check_steps(2000 + (uint64_t)k, true, false, false);
}

static void random_loops_have_their_numbers(void **state) {
  (void)state;
  for (int k = 0; k < 300; k++) check_steps(4000 + (uint64_t)k, false, true, false);
}

static void random_functions_have_their_numbers(void **state) {
  (void)state;
  for (int k = 0; k < 400; k++) check_steps(6000 + (uint64_t)k, true, true, false);
}

// Sum of i while it is at most n, by break, by return and by while.
static void ways_to_leave_a_loop_agree(void **state) {
  (void)state;
  static const char *const BODIES[] = {
      "  for i in 1:20 loop\n    if i > n then\n      break;\n    end if;\n    y := y + i;\n  end "
      "for;\n",
      "  for i in 1:20 loop\n    if i > n then\n      return;\n    end if;\n    y := y + i;\n  end "
      "for;\n",
      "  i := 1;\n  while i <= n loop\n    y := y + i;\n    i := i + 1;\n  end while;\n",
      "  for i in 1:n loop\n    y := y + i;\n  end for;\n",
      "  y := sum(i for i in 1:n);\n",
  };
  for (size_t k = 0; k < sizeof BODIES / sizeof *BODIES; k++)
    for (int n = 0; n < 12; n++) {
      Arena *a = arena_new();
      const char *text = arena_print(a,
                                     "function f\n  input Integer n;\n  output Real y = 0;\n"
                                     "protected\n  Integer i;\nalgorithm\n%send f;\n"
                                     "model M\n  Real x = f(%d);\nend M;\n",
                                     BODIES[k], n);
      assert_close(flat_number(flat_new(a, text), "x", 0), n * (n + 1) / 2, 0);
      arena_free(a);
    }
}

// break and return under conditions that are known only when the model runs.
static void loops_may_be_left_under_conditions_that_vary(void **state) {
  (void)state;
  static const char *const WORDS[] = {"break", "return"};
  for (int k = 0; k < 2; k++) {
    Arena *a = arena_new();
    const char *text =
        arena_print(a,
                    "function f\n  input Real u;\n  output Real y = 0;\nalgorithm\n"
                    "  for i in 1:6 loop\n    if i > u then\n      %s;\n    end if;\n"
                    "    y := y + i;\n  end for;\nend f;\n"
                    "model M\n  Real x = f(time);\nend M;\n",
                    WORDS[k]);
    const AstModel *m = flat_new(a, text);
    for (int u = 0; u < 9; u++) {
      int n = u < 6 ? u : 6;
      assert_close(flat_number(m, "x", u), n * (n + 1) / 2, 0);
    }
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_choices_have_their_numbers),
      cmocka_unit_test(random_loops_have_their_numbers),
      cmocka_unit_test(random_functions_have_their_numbers),
      cmocka_unit_test(ways_to_leave_a_loop_agree),
      cmocka_unit_test(loops_may_be_left_under_conditions_that_vary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
