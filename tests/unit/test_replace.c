#include "expr/replace.h"

#include "evaluate.h"
#include "expr/simplify.h"
#include "random_expression.h"
#include "test.h"

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr s[RANDOM_SYMBOLS];
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  for (int i = 0; i < RANDOM_SYMBOLS; i++) f.s[i] = expr_symbol(f.g, "s", i < 2);
  return f;
}

// f(g(x), y, p) by replacing is f at the value of g.
static void replacing_a_symbol_is_evaluating_at_the_value_of_its_replacement(void **state) {
  (void)state;
  Rng r = {31};
  int compared = 0;
  for (int trial = 0; trial < 5000; trial++) {
    Fixture f = fixture_new();
    Recipe outer = recipe_random(&r), inner = recipe_random(&r);
    Expr e = recipe_expression(&outer, f.g, f.s), by = recipe_expression(&inner, f.g, f.s);
    Replacer *replacer = replacer_new(f.g, f.arena);
    replacer_set(replacer, f.s[0], by);
    Expr both = replace(replacer, e);
    double at[RANDOM_SYMBOLS];
    recipe_calm_point(&r, &inner, 1e-3, at);
    Evaluation first = recipe_value(&inner, at);
    double moved[RANDOM_SYMBOLS] = {first.value, at[1], at[2]};
    Evaluation second = recipe_value(&outer, moved);
    if (first.nearest > 1e-3 && second.nearest > 1e-3 && first.largest < 1e4 &&
        second.largest < 1e4) {
      compared++;
      assert_close(expr_eval(f.g, both, at), second.value, 1e-8 * (1 + second.largest));
    }
    arena_free(f.arena);
  }
  assert_true(compared > 500);
}

static void replacements_are_not_replaced_again(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Replacer *r = replacer_new(f.g, f.arena);
  replacer_set(r, f.s[0], f.s[1]); // x -> y, y -> x: an exchange
  replacer_set(r, f.s[1], f.s[0]);
  Expr e = expr_sub(f.g, f.s[0], expr_call(f.g, OP_SIN, f.s[1]));
  Expr exchanged = replace(r, e);
  assert_int_equal(exchanged, expr_sub(f.g, f.s[1], expr_call(f.g, OP_SIN, f.s[0])));
  assert_int_equal(replace(r, exchanged), e);
  arena_free(f.arena);
}

static void later_settings_count(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Replacer *r = replacer_new(f.g, f.arena);
  Expr e = expr_call(f.g, OP_SIN, f.s[0]);
  replacer_set(r, f.s[0], f.s[1]);
  assert_int_equal(replace(r, e), expr_call(f.g, OP_SIN, f.s[1]));
  replacer_set(r, f.s[0], f.s[2]);
  assert_int_equal(replace(r, e), expr_call(f.g, OP_SIN, f.s[2]));
  replacer_clear(r, f.s[0]);
  assert_int_equal(replace(r, e), e);
  arena_free(f.arena);
}

static void nodes_made_after_the_replacer_are_replaced_too(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Replacer *r = replacer_new(f.g, f.arena);
  replacer_set(r, f.s[0], f.s[1]);
  Expr e = f.s[0];
  for (int i = 0; i < 1000; i++)
    e = expr_call(f.g, OP_SIN, expr_add(f.g, e, expr_symbol(f.g, "t", true)));
  Expr before = e, after = replace(r, e);
  assert_int_not_equal(before, after);
  assert_int_equal(replace(r, after), after);
  arena_free(f.arena);
}

static void blocks_are_rebuilt_where_something_in_them_is_replaced(void **state) {
  (void)state;
  static const char *const NAMES[] = {"a"};
  Fixture f = fixture_new();
  Graph *g = f.g;
  Expr x = f.s[0], y = f.s[1], z[2];
  Expr matrix[] = {expr_const(g, 2), x, y, expr_const(g, 5)}, right[] = {y, expr_const(g, 1)};
  expr_solve(g, expr_factor(g, 2, matrix), false, right, z);
  Expr a = expr_symbol(g, "a", true);
  Expr residual =
      expr_sub(g, expr_add(g, a, expr_mul(g, a, expr_mul(g, a, a))), expr_add(g, x, z[0]));
  Expr solved = expr_newton(g, 1, &a, &residual, (Expr[]){0}, NAMES, 1, 1);
  Expr e = expr_add(g, solved, z[1]);
  Replacer *r = replacer_new(g, f.arena);
  replacer_set(r, x, expr_call(g, OP_SIN, f.s[2]));
  Expr other = replace(r, e);
  // the last two: unknowns of the block and of its copy
  double at[5] = {sin(0.7), 0.4, 0.7}, elsewhere[5] = {123, 0.4, 0.7};
  assert_close(evaluate(g, other, elsewhere), evaluate(g, e, at), 1e-12);
  replacer_clear(r, x);
  assert_int_equal(replace(r, e), e);
  arena_free(f.arena);
}

static void a_long_chain_is_replaced_without_recursion(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr e = f.s[0];
  for (int i = 0; i < 100000; i++) e = expr_call(f.g, OP_SIN, expr_add(f.g, e, f.s[1]));
  Replacer *r = replacer_new(f.g, f.arena);
  replacer_set(r, f.s[0], expr_const(f.g, 0.25));
  double at[] = {99, 0.5, 0}, x = 0.25;
  for (int i = 0; i < 100000; i++) x = sin(x + 0.5);
  assert_close(expr_eval(f.g, replace(r, e), at), x, 0);
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replacing_a_symbol_is_evaluating_at_the_value_of_its_replacement),
      cmocka_unit_test(replacements_are_not_replaced_again),
      cmocka_unit_test(later_settings_count),
      cmocka_unit_test(nodes_made_after_the_replacer_are_replaced_too),
      cmocka_unit_test(blocks_are_rebuilt_where_something_in_them_is_replaced),
      cmocka_unit_test(a_long_chain_is_replaced_without_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
