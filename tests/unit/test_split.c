#include "model/split.h"

#include "expr/simplify.h"
#include "test.h"

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr u, x, y;
  Splitter *s;
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  f.u = expr_symbol(f.g, "u", true);
  f.x = expr_symbol(f.g, "x", true);
  f.y = expr_symbol(f.g, "y", true);
  f.s = splitter_new(f.g, f.arena);
  return f;
}

// e = slope*u + rest at a point, with both free of u.
static void assert_splits(Fixture *f, Expr e, bool linear) {
  Expr slope, rest;
  assert_int_equal(split(f->s, e, f->u, &slope, &rest), linear);
  if (!linear) return;
  Arena *a = arena_new();
  const unsigned char *depends = expr_dependents(f->g, a, &f->u, 1);
  assert_false(depends[slope] || depends[rest]);
  for (int k = 0; k < 3; k++) {
    double at[] = {0.7 - k, 1.3 + k, -0.4};
    double whole = expr_eval(f->g, e, at), part = expr_eval(f->g, slope, at) * at[0];
    assert_close(part + expr_eval(f->g, rest, at), whole, 1e-14 * (1 + fabs(whole)));
  }
  arena_free(a);
}

static void linear_expressions_are_split(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Graph *g = f.g;
  Expr xu = expr_mul(g, f.x, f.u), sine = expr_call(g, OP_SIN, f.x);
  assert_splits(&f, expr_add(g, xu, f.y), true);
  assert_splits(&f, expr_div(g, expr_sub(g, f.y, xu), sine), true);
  assert_splits(&f, expr_select(g, f.x, xu, expr_neg(g, f.u)), true);
  assert_splits(&f, sine, true);
  assert_splits(&f, expr_mul(g, xu, f.u), false);
  assert_splits(&f, expr_call(g, OP_SIN, xu), false);
  arena_free(f.arena);
}

// (u + x) - u: u stands in it, but must not stand in what is left.
static void what_cancels_is_gone_from_the_rest(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Graph *g = f.g;
  Expr cancelled = expr_sub(g, expr_add(g, f.u, f.x), f.u);
  assert_splits(&f, cancelled, true);
  assert_splits(&f, expr_mul(g, f.y, cancelled), true);
  assert_splits(&f, expr_call(g, OP_SIN, cancelled), true);
  assert_splits(&f, expr_select(g, cancelled, f.u, f.y), true);
  assert_splits(&f, expr_mul(g, cancelled, f.u), true);
  arena_free(f.arena);
}

static void what_is_skipped_counts_as_known(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Graph *g = f.g;
  Expr known = expr_call(g, OP_SIN, f.x), slope, rest;
  splitter_skip(f.s, known);
  assert_true(split(f.s, expr_add(g, expr_mul(g, known, f.u), f.y), f.u, &slope, &rest));
  assert_int_equal(slope, known);
  assert_int_equal(rest, f.y);
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_expressions_are_split),
      cmocka_unit_test(what_cancels_is_gone_from_the_rest),
      cmocka_unit_test(what_is_skipped_counts_as_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
