#include "expr/expr.h"

#include <string.h>

#include "expr/simplify.h"
#include "random_expression.h"
#include "test.h"

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr x, y, p;
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  f.x = expr_symbol(f.g, "x", true);
  f.y = expr_symbol(f.g, "y", true);
  f.p = expr_symbol(f.g, "p", false);
  return f;
}

static void equal_expressions_are_one_node(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr a = expr_add(f.g, expr_mul(f.g, f.x, f.y), expr_call(f.g, OP_SIN, f.x));
  int count = f.g->count;
  Expr b = expr_add(f.g, expr_call(f.g, OP_SIN, f.x), expr_mul(f.g, f.y, f.x));
  assert_int_equal(a, b);
  assert_int_equal(f.g->count, count);
  assert_int_not_equal(expr_sub(f.g, f.x, f.y), expr_sub(f.g, f.y, f.x));
  arena_free(f.arena);
}

static void there_is_one_zero(void **state) {
  (void)state;
  Fixture f = fixture_new();
  assert_int_equal(expr_const(f.g, -0.0), 0);
  assert_int_equal(expr_const(f.g, 0.0), 0);
  assert_int_equal(expr_const(f.g, 1), 1);
  arena_free(f.arena);
}

static void symbols_of_one_name_are_different(void **state) {
  (void)state;
  Fixture f = fixture_new();
  assert_int_not_equal(expr_symbol(f.g, "x", true), f.x);
  arena_free(f.arena);
}

static void arguments_come_before_what_uses_them(void **state) {
  (void)state;
  Rng r = {1};
  for (int trial = 0; trial < 200; trial++) {
    Fixture f = fixture_new();
    Recipe c = recipe_random(&r);
    recipe_expression(&c, f.g, (Expr[]){f.x, f.y, f.p});
    for (Expr e = 0; e < f.g->count; e++)
      for (int i = 0; i < expr_arg_count(f.g, e); i++) assert_true(expr_arg(f.g, e, i) < e);
    arena_free(f.arena);
  }
}

static void only_what_contains_a_varying_symbol_varies(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr fixed = expr_call(f.g, OP_EXP, expr_mul(f.g, f.p, expr_const(f.g, 2)));
  assert_false(expr_varies(f.g, fixed));
  assert_true(expr_varies(f.g, expr_add(f.g, fixed, f.x)));
  arena_free(f.arena);
}

static void dependents_are_found_through_blocks(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr matrix[] = {expr_const(f.g, 2), f.p, f.p, expr_const(f.g, 3)},
       right[] = {f.x, expr_const(f.g, 1)}, z[2];
  expr_solve(f.g, expr_factor(f.g, 2, matrix), false, right, z);
  Expr e = expr_add(f.g, z[1], f.y);
  const unsigned char *depends = expr_dependents(f.g, f.g->arena, &f.p, 1);
  assert_true(depends[z[0]] && depends[z[1]] && depends[e]);
  assert_false(depends[f.x] || depends[f.y]);
  arena_free(f.arena);
}

static void equal_systems_share_their_factor_and_solution(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr matrix[] = {f.x, f.p, f.y, expr_const(f.g, 3)}, right[] = {f.x, f.y}, a[2], b[2], c[2];
  int factor = expr_factor(f.g, 2, matrix);
  expr_solve(f.g, factor, false, right, a);
  assert_int_equal(expr_factor(f.g, 2, matrix), factor);
  expr_solve(f.g, factor, false, right, b);
  expr_solve(f.g, factor, true, right, c);
  assert_memory_equal(a, b, sizeof a);
  assert_int_not_equal(a[0], c[0]);
  arena_free(f.arena);
}

static void a_system_of_one_equation_is_a_division(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr result;
  expr_solve(f.g, expr_factor(f.g, 1, &f.x), false, &f.y, &result);
  assert_int_equal(result, expr_div(f.g, f.y, f.x));
  arena_free(f.arena);
}

static void positive_is_never_claimed_wrongly(void **state) {
  (void)state;
  Rng r = {2};
  int claimed = 0;
  for (int trial = 0; trial < 3000; trial++) {
    Fixture f = fixture_new();
    Recipe c = recipe_random(&r);
    recipe_expression(&c, f.g, (Expr[]){f.x, f.y, f.p});
    double at[] = {rng_between(&r, -3, 3), rng_between(&r, -3, 3), rng_between(&r, -3, 3)};
    for (Expr e = 0; e < f.g->count; e++) {
      if (!expr_is_positive(f.g, e)) continue;
      double v = expr_eval(f.g, e, at);
      claimed++;
      if (v == v) assert_true(v >= 0); // 0: exp(-1000)
    }
    arena_free(f.arena);
  }
  assert_true(claimed > 1000);
}

static void squares_and_sums_of_them_are_known_to_be_positive(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr square = expr_mul(f.g, f.x, f.x), one = expr_const(f.g, 1);
  assert_true(expr_is_positive(f.g, expr_add(f.g, one, square)));
  assert_true(expr_is_positive(f.g, expr_call(f.g, OP_SQRT, expr_add(f.g, square, one))));
  assert_true(expr_is_positive(f.g, expr_call(f.g, OP_EXP, f.y)));
  assert_false(expr_is_positive(f.g, square));
  assert_false(expr_is_positive(f.g, f.x));
  arena_free(f.arena);
}

static void a_chain_of_many_thousand_terms_is_no_problem(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr sum = f.x;
  for (int i = 0; i < 100000; i++) sum = expr_call(f.g, OP_SIN, expr_add(f.g, sum, f.y));
  double at[] = {0.3, 0.1, 0}, direct = at[0];
  for (int i = 0; i < 100000; i++) direct = sin(direct + at[1]);
  assert_close(expr_eval(f.g, sum, at), direct, 0);
  Text t;
  text_init(&t);
  expr_print(&t, f.g, sum);
  assert_true(t.length > 10 && t.length < 100000);
  text_done(&t);
  arena_free(f.arena);
}

static void the_origin_of_time_is_not_printed(void **state) {
  (void)state;
  Arena *a = arena_new();
  Graph *g = graph_new(a);
  expr_make_time(g);
  Expr p = expr_symbol(g, "p", false), x = expr_symbol(g, "x", true), two = expr_const(g, 2);
  const struct {
    Expr e;
    const char *text;
  } CASES[] = {
      {g->now, "time"},
      {expr_sub(g, g->now, p), "time - p"},
      {expr_add(g, p, g->now), "time + p"},
      {expr_sub(g, p, g->now), "p - time"},
      {expr_sub(g, two, g->now), "2 - time"},
      {expr_sub(g, expr_sub(g, g->now, p), x), "time - p - x"},
      {expr_mul(g, x, expr_sub(g, g->now, x)), "x*(time - x)"},
      {expr_call(g, OP_SIN, expr_mul(g, p, g->now)), "sin(time*p)"},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    Text t;
    text_init(&t);
    expr_print(&t, g, CASES[k].e);
    assert_string_equal(t.at, CASES[k].text);
    text_done(&t);
  }
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_expressions_are_one_node),
      cmocka_unit_test(there_is_one_zero),
      cmocka_unit_test(symbols_of_one_name_are_different),
      cmocka_unit_test(arguments_come_before_what_uses_them),
      cmocka_unit_test(only_what_contains_a_varying_symbol_varies),
      cmocka_unit_test(dependents_are_found_through_blocks),
      cmocka_unit_test(equal_systems_share_their_factor_and_solution),
      cmocka_unit_test(a_system_of_one_equation_is_a_division),
      cmocka_unit_test(positive_is_never_claimed_wrongly),
      cmocka_unit_test(squares_and_sums_of_them_are_known_to_be_positive),
      cmocka_unit_test(a_chain_of_many_thousand_terms_is_no_problem),
      cmocka_unit_test(the_origin_of_time_is_not_printed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
