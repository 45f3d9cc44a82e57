#include "expr/newton.h"

#include <string.h>

#include "expr/derive.h"
#include "expr/simplify.h"
#include "random_expression.h"
#include "test.h"

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr s[RANDOM_SYMBOLS], unknown;
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  for (int i = 0; i < RANDOM_SYMBOLS; i++) f.s[i] = expr_symbol(f.g, "s", true);
  f.unknown = f.s[0];
  return f;
}

// A block of one equation, residual = 0 in the unknown; its number.
static int block_of(Fixture *f, Expr residual) {
  static const char *const NAMES[] = {"z"};
  Expr start = expr_const(f->g, 0);
  expr_newton(f->g, 1, &f->unknown, &residual, &start, NAMES, 1, 1);
  return f->g->blocks.count - 1;
}

static void assert_knows_its_inputs_only(const Fixture *f, const ExprBlock *b) {
  const Expr outside[] = {f->s[1], f->s[2]};
  Arena *scratch = arena_new();
  const unsigned char *depends = expr_dependents(f->g, scratch, outside, 2);
  assert_false(depends[b->inside[0]]);
  assert_false(depends[b->inside[1]]);
  arena_free(scratch);
}

// The derivative of -(x - y)*sin(z) is (y - x)*cos(z): x and y must not be asked for, the input is x - y.
static void a_derivative_does_not_take_an_input_apart(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr apart = expr_sub(f.g, f.s[1], f.s[2]);
  int block = block_of(&f, expr_neg(f.g, expr_mul(f.g, apart, expr_call(f.g, OP_SIN, f.unknown))));
  newton_inside(f.g, block);
  const ExprBlock *b = &f.g->blocks.at[block];
  assert_int_equal(b->input_count, 1);
  assert_knows_its_inputs_only(&f, b);
  arena_free(f.arena);
}

// z solves z + y^3 = s1 within a block for y: neither z nor z + y^3 is an input of that.
static void a_block_within_another_keeps_its_unknowns(void **state) {
  (void)state;
  static const char *const NAMES[] = {"z"};
  Fixture f = fixture_new();
  Graph *g = f.g;
  Expr z = expr_symbol(g, "inner", true), y = f.unknown, zero = expr_const(g, 0);
  Expr cube = expr_mul(g, z, expr_mul(g, z, z));
  Expr inner = expr_sub(g, expr_add(g, z, cube), expr_add(g, y, f.s[1]));
  Expr solved = expr_newton(g, 1, &z, &inner, &zero, NAMES, 1, 1);
  int block = block_of(&f, expr_sub(g, expr_add(g, solved, y), f.s[2]));
  expr_newton_inputs(g, block);
  const ExprBlock *b = &g->blocks.at[block];
  assert_int_equal(b->input_count, 2);
  for (int i = 0; i < 2; i++) assert_true(b->inputs[i] == f.s[1] || b->inputs[i] == f.s[2]);
  arena_free(f.arena);
}

enum { SYMBOLS_MOST = 64 };

static double value_inside(const Fixture *f, const ExprBlock *b, Expr e, const double *at) {
  double symbols[SYMBOLS_MOST] = {0};
  assert_true(f->g->symbols.count <= SYMBOLS_MOST);
  memcpy(symbols, at, RANDOM_SYMBOLS * sizeof *at);
  for (int i = 0; i < b->input_count; i++)
    symbols[expr_node(f->g, b->inside_inputs[i])->a] = expr_eval(f->g, b->inputs[i], at);
  symbols[1] = symbols[2] = nan(""); // nobody hands them in
  return expr_eval(f->g, e, symbols);
}

static void the_inside_has_the_values_of_the_residual_and_of_its_derivative(void **state) {
  (void)state;
  Rng r = {77};
  int compared = 0;
  for (int trial = 0; trial < 3000; trial++) {
    Fixture f = fixture_new();
    Recipe recipe = recipe_random(&r);
    Expr residual = recipe_expression(&recipe, f.g, f.s);
    int block = block_of(&f, residual);
    newton_inside(f.g, block);
    ExprBlock b = f.g->blocks.at[block];
    assert_knows_its_inputs_only(&f, &b);
    Derivatives d = derive_rows(f.g, f.arena, &residual, 1, &f.unknown, 1);
    Expr slope = d.start[1] ? d.value[0] : expr_const(f.g, 0);
    double at[SYMBOLS_MOST] = {0}; // one for each symbol of the graph
    recipe_calm_point(&r, &recipe, 1e-3, at);
    double value = expr_eval(f.g, residual, at), by_z = expr_eval(f.g, slope, at);
    if (isfinite(value) && isfinite(by_z) && fabs(value) < 1e6 && fabs(by_z) < 1e6) {
      compared++;
      assert_close(value_inside(&f, &b, b.inside[0], at), value, 1e-9 * (1 + fabs(value)));
      assert_close(value_inside(&f, &b, b.inside[1], at), by_z, 1e-6 * (1 + fabs(by_z)));
    }
    arena_free(f.arena);
  }
  assert_true(compared > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_derivative_does_not_take_an_input_apart),
      cmocka_unit_test(a_block_within_another_keeps_its_unknowns),
      cmocka_unit_test(the_inside_has_the_values_of_the_residual_and_of_its_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
