// Equations of classes: loops and choices.
#include "flattened.h"

static void loops_are_their_equations_one_by_one(void **state) {
  (void)state;
  for (int n = 0; n < 6; n++) {
    Arena *a = arena_new();
    const char *list = "";
    for (int i = 1; i <= n; i++)
      for (int k = i; k <= n; k++)
        list = arena_print(a, "%s  x[%d, %d] = %d*time + %d;\n", list, i, k, i, k);
    for (int i = 1; i <= n; i++)
      for (int k = 1; k < i; k++)
        list = arena_print(a, "%s  x[%d, %d] = x[%d, %d];\n", list, i, k, k, i);
    const char *loops =
        arena_print(a,
                    "model M\n  Real x[%d, %d];\nequation\n"
                    "  for i in 1:%d, k in i:%d loop\n    x[i, k] = i*time + k;\n  end for;\n"
                    "  for i in 1:%d loop\n    for k in 1:i - 1 loop\n      x[i, k] = x[k, i];\n"
                    "    end for;\n  end for;\nend M;\n",
                    n, n, n, n, n);
    assert_flat_equal(
        loops, arena_print(a, "model M\n  Real x[%d, %d];\nequation\n%send M;\n", n, n, list));
    arena_free(a);
  }
}

// Random choices in each other: at each time the variables have the numbers of the branch that holds.
static const char *random_choice(Arena *a, Draw *d, int depth, double time, bool holds,
                                 double *value) {
  if (depth == 0 || draw_below(d, 4) == 0) {
    double x = draw_number(d), y = draw_number(d);
    if (holds) value[0] = x, value[1] = y;
    return draw_below(d, 2) ? arena_print(a, "x = %g;\ny = %g;\n", x, y)
                            : arena_print(a, "y = %g;\nx = %g;\n", y, x);
  }
  double limit = draw_number(d);
  bool first = time > limit;
  const char *one = random_choice(a, d, depth - 1, time, holds && first, value);
  const char *two = random_choice(a, d, depth - 1, time, holds && !first, value);
  return arena_print(a, "if time > %g then\n%selse\n%send if;\n", limit, one, two);
}

static void random_choices_have_the_numbers_of_their_branch(void **state) {
  (void)state;
  for (int seed = 0; seed < 300; seed++) {
    Arena *a = arena_new();
    Draw d = {(uint64_t)seed};
    double time = draw_number(&d) + 0.01, value[2] = {0};
    const char *text = random_choice(a, &d, 3, time, true, value);
    const AstModel *m =
        flat_new(a, arena_print(a, "model M\nReal x, y;\nequation\n%send M;\n", text));
    assert_int_equal(m->equations.count, 2);
    assert_close(flat_number(m, "x", time), value[0], 0);
    assert_close(flat_number(m, "y", time), value[1], 0);
    arena_free(a);
  }
}

static void branches_need_the_same_number_of_equations(void **state) {
  (void)state;
  for (int n = 0; n < 4; n++)
    for (int m = 0; m < 4; m++) {
      Arena *a = arena_new();
      const char *one = "", *two = "";
      for (int i = 0; i < n; i++) one = arena_print(a, "%sx[%d] = 1;\n", one, i + 1);
      for (int i = 0; i < m; i++) two = arena_print(a, "%sx[%d] = 2;\n", two, i + 1);
      Err err = {0};
      const char *text = arena_print(
          a, "model M\nReal x[3];\nequation\nif time > 1 then\n%selse\n%send if;\nend M;\n", one,
          two);
      assert_int_equal(flat_try(a, text, &err) != NULL, n == m);
      text = arena_print(
          a, "model M\nReal x[3];\nequation\nif 2 > 1 then\n%selse\n%send if;\nend M;\n", one, two);
      const AstModel *flat = flat_new(a, text);
      assert_int_equal(flat->equations.count, n);
      arena_free(a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_are_their_equations_one_by_one),
      cmocka_unit_test(random_choices_have_the_numbers_of_their_branch),
      cmocka_unit_test(branches_need_the_same_number_of_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
