// Modifiers: the outermost wins, however it is written.
#include "flattened.h"

// p of the innermost of `depth` components in each other; modifiers at random levels, each with its own number.
static void the_outermost_modifier_wins(void **state) {
  (void)state;
  for (int seed = 0; seed < 300; seed++) {
    Arena *a = arena_new();
    Draw d = {(uint64_t)seed};
    int depth = 1 + draw_below(&d, 6), winner = 0;
    const char *text = "model C0\n  parameter Real p = 0;\nend C0;\n", *path = "p";
    for (int level = 1; level <= depth; level++) {
      const char *change = "";
      if (draw_below(&d, 2)) {
        bool dots = draw_below(&d, 2);
        const char *inner = arena_print(a, "p = %d", level);
        for (int k = 1; k < level; k++)
          inner = dots ? arena_print(a, "c%d.%s", k, inner) : arena_print(a, "c%d(%s)", k, inner);
        change = arena_print(a, "(%s)", inner);
        winner = level;
      }
      text = arena_print(a, "%smodel C%d\n  C%d c%d%s;\nend C%d;\n", text, level, level - 1, level,
                         change, level);
      path = arena_print(a, "c%d.%s", level, path);
    }
    // The path was built from the inside: c1.p, then c2.c1.p, as the components are nested.
    assert_close(flat_number(flat_new(a, text), path, 0), winner, 0);
    arena_free(a);
  }
}

static void modifiers_with_dots_and_with_parentheses_agree(void **state) {
  (void)state;
  static const char CLASSES[] =
      "model A\n  parameter Real p = 1;\n  parameter Real q = 2;\nend A;\n"
      "model B\n  A a;\n  A b;\nend B;\n";
  static const char *const SAME[][2] = {
      {"a(p = 3), b(q = 4)", "b.q = 4, a.p = 3"},
      {"a(p = 3, q = 4)", "a.p = 3, a.q = 4"},
      {"a(p(unit = \"m\") = 3)", "a.p(unit = \"m\") = 3"},
      {"a(final p = 3)", "a(final p = 3)"},
  };
  for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
    Arena *a = arena_new();
    const char *one = arena_print(a, "%smodel M\n  B b(%s);\nend M;\n", CLASSES, SAME[i][0]);
    const char *two = arena_print(a, "%smodel M\n  B b(%s);\nend M;\n", CLASSES, SAME[i][1]);
    assert_flat_equal(one, two);
    arena_free(a);
  }
}

// a[n](p = v) is a[i](p = v[i]).
static void arrays_of_modifiers_go_to_the_elements(void **state) {
  (void)state;
  for (int n = 0; n < 6; n++) {
    Arena *a = arena_new();
    const char *text =
        arena_print(a,
                    "model A\n  parameter Real p = 0;\nend A;\nmodel M\n"
                    "  A a[%d](p = {10*i for i in 1:%d});\n  A b[%d](each p = 7);\nend M;\n",
                    n, n, n);
    const AstModel *m = flat_new(a, text);
    assert_int_equal(m->declarations.count, 2 * n);
    for (int i = 1; i <= n; i++) {
      assert_close(flat_number(m, arena_print(a, "a[%d].p", i), 0), 10 * i, 0);
      assert_close(flat_number(m, arena_print(a, "b[%d].p", i), 0), 7, 0);
    }
    arena_free(a);
  }
}

static void final_is_the_end(void **state) {
  (void)state;
  assert_refused("model A\n  parameter Real p = 1;\nend A;\nmodel B\n  A a(final p = 2);\nend B;\n"
                 "model M\n  B b(a(p = 3));\nend M;\n",
                 8, "final");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_outermost_modifier_wins),
      cmocka_unit_test(modifiers_with_dots_and_with_parentheses_agree),
      cmocka_unit_test(arrays_of_modifiers_go_to_the_elements),
      cmocka_unit_test(final_is_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
