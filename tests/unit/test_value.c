// Subscripts: random ones against positions that are counted here.
#include "random_array.h"

typedef struct Chosen { // of one dimension
  int count, at[8];
  bool scalar;
  const char *text;
} Chosen;

static Chosen draw_chosen(Arena *a, Draw *d, int size) {
  Chosen c = {.text = ":"};
  int first = 1 + draw_below(d, size), last = first + draw_below(d, size - first + 1);
  switch (draw_below(d, 6)) {
  case 0:
    c.scalar = true, c.count = 1, c.at[0] = first;
    c.text = arena_print(a, "%d", first);
    return c;
  case 1:
    c.scalar = true, c.count = 1, c.at[0] = size;
    c.text = "end";
    return c;
  case 2:
    for (int i = first; i <= last; i++) c.at[c.count++] = i;
    c.text = arena_print(a, "%d:%d", first, last);
    return c;
  case 3:
    for (int i = last; i >= first; i--) c.at[c.count++] = i;
    c.text = arena_print(a, "%d:-1:%d", last, first);
    return c;
  case 4:
    c.count = 3;
    for (int i = 0; i < 3; i++) c.at[i] = 1 + draw_below(d, size);
    c.text = arena_print(a, "{%d, %d, %d}", c.at[0], c.at[1], c.at[2]);
    return c;
  default:
    for (int i = 1; i <= size; i++) c.at[c.count++] = i;
    return c;
  }
}

static void check_subscripts(Arena *a, Draw *d) {
  int rank = 1 + draw_below(d, 3), sizes[3];
  for (int k = 0; k < 3; k++) sizes[k] = 1 + draw_below(d, 4);
  RandomArray x = array_leaf(a, d, rank, sizes), y = {0};
  int given = 1 + draw_below(d, rank);
  Chosen c[3];
  const char *text = "";
  for (int k = 0; k < 3; k++) {
    c[k] = k < rank ? draw_chosen(a, d, sizes[k]) : (Chosen){.count = 1, .at = {1}, .scalar = true};
    if (k >= given && k < rank) { // subscripts that are left out take all
      c[k].count = sizes[k], c[k].scalar = false;
      for (int i = 0; i < sizes[k]; i++) c[k].at[i] = i + 1;
    }
    if (k < given) text = arena_print(a, "%s%s%s", text, k ? ", " : "", c[k].text);
    if (!c[k].scalar) y.sizes[y.rank++] = c[k].count;
  }
  int n = 0;
  for (int i = 0; i < c[0].count; i++)
    for (int j = 0; j < c[1].count; j++)
      for (int q = 0; q < c[2].count; q++) {
        int at = c[0].at[i] - 1;
        if (rank > 1) at = at * sizes[1] + c[1].at[j] - 1;
        if (rank > 2) at = at * sizes[2] + c[2].at[q] - 1;
        y.at[n++] = x.at[at];
      }
  const char *model =
      arena_print(a, "model M\n  parameter Real p%s = %s;\n  Real x%s = p[%s];\nend M;\n",
                  sizes_text(a, &x), x.text, sizes_text(a, &y), text);
  const AstModel *m = flat_new(a, model);
  for (int i = 0; i < n; i++)
    assert_close(flat_number(m, element_name(a, "x", &y, i), 0), y.at[i], 0);
}

static void random_subscripts_choose_the_right_elements(void **state) {
  (void)state;
  for (int k = 0; k < 500; k++) {
    Arena *a = arena_new();
    Draw d = {5000 + (uint64_t)k};
    check_subscripts(a, &d);
    arena_free(a);
  }
}

static void subscripts_outside_are_refused(void **state) {
  (void)state;
  for (int n = 1; n < 5; n++)
    for (int i = -1; i < 7; i++) {
      Arena *a = arena_new();
      Err err = {0};
      const char *text =
          arena_print(a, "model M\n  Real p[%d] = ones(%d);\n  Real x = p[%d];\nend M;\n", n, n, i);
      assert_int_equal(flat_try(a, text, &err) != NULL, i >= 1 && i <= n);
      arena_free(a);
    }
}

// What is assigned to subscripts of a variable is found there again.
static void assigned_elements_are_found_again(void **state) {
  (void)state;
  for (int k = 0; k < 60; k++) {
    Arena *a = arena_new();
    Draw d = {90 + (uint64_t)k};
    int n = 2 + draw_below(&d, 4), first = 1 + draw_below(&d, n),
        last = first + draw_below(&d, n - first + 1);
    const char *text = arena_print(a,
                                   "function f\n  output Real y[%d] = zeros(%d);\nalgorithm\n"
                                   "  y[%d:%d] := {i for i in %d:%d};\nend f;\n"
                                   "model M\n  Real x[%d] = f();\nend M;\n",
                                   n, n, first, last, first, last, n);
    const AstModel *m = flat_new(a, text);
    for (int i = 1; i <= n; i++)
      assert_close(flat_number(m, arena_print(a, "x[%d]", i), 0), i >= first && i <= last ? i : 0,
                   0);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_subscripts_choose_the_right_elements),
      cmocka_unit_test(subscripts_outside_are_refused),
      cmocka_unit_test(assigned_elements_are_found_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
