// Classes in use: names by extends, imports and packages.
#include "flattened.h"

// Declarations that are cut into base classes at random places are the same model.
static void extends_in_pieces_is_the_whole(void **state) {
  (void)state;
  for (int seed = 0; seed < 200; seed++) {
    Arena *a = arena_new();
    Draw d = {(uint64_t)seed};
    int count = 1 + draw_below(&d, 8), bases = 0;
    const char *whole = "", *classes = "", *body = "";
    bool open = false; // a base class is being written
    for (int i = 0; i < count; i++) {
      const char *line = i ? arena_print(a, "  Real x%d = x%d + %d;\n", i, draw_below(&d, i), i)
                           : "  Real x0 = time;\n";
      whole = arena_print(a, "%s%s", whole, line);
      if (draw_below(&d, 3) == 0 || !open) {
        if (open) classes = arena_print(a, "%send B%d;\n", classes, bases++);
        const char *before = bases ? arena_print(a, "  extends B%d;\n", bases - 1) : "";
        classes = arena_print(a, "%smodel B%d\n%s", classes, bases, before);
        open = true;
      }
      classes = arena_print(a, "%s%s", classes, line);
    }
    classes = arena_print(a, "%send B%d;\n", classes, bases);
    body = arena_print(a, "%smodel M\n  extends B%d;\nend M;\n", classes, bases);
    assert_flat_equal(body, arena_print(a, "model M\n%send M;\n", whole));
    arena_free(a);
  }
}

// The same constant by every way to name it.
static void all_ways_to_a_name_lead_to_it(void **state) {
  (void)state;
  static const char *const WAYS[] = {
      "model M\n  Real x = c;\nend M;\n",
      "model M\n  Real x = Q.c;\nend M;\n",
      "model M\n  Real x = P.Q.c;\nend M;\n",
      "model M\n  Real x = .P.Q.c;\nend M;\n",
      "model M\n  import P.Q.c;\n  Real x = c;\nend M;\n",
      "model M\n  import P.Q.*;\n  Real x = c;\nend M;\n",
      "model M\n  import d = P.Q.c;\n  Real x = d;\nend M;\n",
      "model M\n  import P.Q.{c};\n  Real x = c;\nend M;\n",
      "model M\n  import R = P.Q;\n  Real x = R.c;\nend M;\n",
      "encapsulated model M\n  import P;\n  Real x = P.Q.c;\nend M;\n",
      "model M\n  package S\n    extends P.Q;\n  end S;\n  Real x = S.c;\nend M;\n",
      "model M\n  package S = P.Q;\n  Real x = S.c;\nend M;\n",
  };
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
    Arena *a = arena_new();
    const char *text =
        arena_print(a, "package P\npackage Q\nconstant Real c = 3;\n%send Q;\nend P;\n", WAYS[i]);
    assert_close(flat_number(flat_new(a, text), "x", 0), 3, 0);
    arena_free(a);
  }
}

// The nearest of n classes around counts.
static void the_nearest_declaration_counts(void **state) {
  (void)state;
  for (int seed = 0; seed < 64; seed++) {
    Arena *a = arena_new();
    const char *before = "", *after = "";
    int nearest = -1;
    for (int level = 0; level < 6; level++) {
      before = arena_print(a, "%spackage P%d\n", before, level);
      if (seed >> level & 1) {
        before = arena_print(a, "%sconstant Real c = %d;\n", before, level);
        nearest = level;
      }
      after = arena_print(a, "end P%d;\n%s", level, after);
    }
    const char *text = arena_print(a, "%smodel M\n  Real x = c;\nend M;\n%s", before, after);
    Err err = {0};
    const AstModel *m = flat_try(a, text, &err);
    assert_int_equal(m != NULL, nearest >= 0);
    if (m) assert_close(flat_number(m, "x", 0), nearest, 0);
    arena_free(a);
  }
}

static void circles_are_found(void **state) {
  (void)state;
  for (int n = 1; n < 6; n++) {
    Arena *a = arena_new();
    const char *text = "";
    for (int i = 0; i < n; i++)
      text = arena_print(a, "%smodel A%d\n  extends A%d;\nend A%d;\n", text, i, (i + 1) % n, i);
    Err err = {0};
    assert_null(flat_try(a, text, &err));
    assert_non_null(strstr(err.text, "extends itself"));
    text = "";
    for (int i = 0; i < n; i++)
      text = arena_print(a, "%smodel A%d\n  A%d a;\nend A%d;\n", text, i, (i + 1) % n, i);
    assert_null(flat_try(a, text, &(Err){0}));
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extends_in_pieces_is_the_whole),
      cmocka_unit_test(all_ways_to_a_name_lead_to_it),
      cmocka_unit_test(the_nearest_declaration_counts),
      cmocka_unit_test(circles_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
