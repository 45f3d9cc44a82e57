#include "model/sort.h"

#include <string.h>

#include "evaluate.h"
#include "expr/simplify.h"
#include "random_expression.h"
#include "test.h"

enum { N = 8, SYMBOLS = 3 };

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr known[SYMBOLS];
  SortUnknown unknowns[N];
  SortEquation equations[N];
  int n;
  Sorted sorted;
} Fixture;

static void fixture_init(Fixture *f, int n) {
  static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  memset(f, 0, sizeof *f);
  f->arena = arena_new();
  f->g = graph_new(f->arena);
  f->n = n;
  for (int i = 0; i < SYMBOLS; i++) f->known[i] = expr_symbol(f->g, "x", i < 2);
  for (int i = 0; i < n; i++)
    f->unknowns[i] = (SortUnknown){.symbol = expr_symbol(f->g, NAMES[i], true), .name = NAMES[i]};
  for (int i = 0; i < n; i++) f->equations[i] = (SortEquation){.line = i + 1, .column = 1};
}

static bool fixture_solve(Fixture *f) {
  Incidence in = sort_incidence(f->g, f->arena, f->equations, f->n, f->unknowns, f->n);
  Matching m = match(f->arena, &in, NULL);
  assert_int_equal(m.count, f->n);
  return sort_solve(f->g, f->arena, f->equations, f->unknowns, &in, &m, NULL, NULL, &f->sorted);
}

// With the solutions as numbers in place of the unknowns every residual vanishes.
static void assert_solved(Fixture *f, const double *known) {
  double values[64] = {0};
  memcpy(values, known, SYMBOLS * sizeof *values);
  for (int i = 0; i < f->n; i++)
    values[SYMBOLS + i] = (double)NAN; // solutions must not contain unknowns
  double solution[N];
  for (int i = 0; i < f->n; i++) solution[i] = evaluate(f->g, f->sorted.solution[i], values);
  for (int i = 0; i < f->n; i++) {
    assert_true(isfinite(solution[i]));
    values[f->g->nodes[f->unknowns[i].symbol].a] = solution[i];
  }
  for (int i = 0; i < f->n; i++)
    assert_close(expr_eval(f->g, f->equations[i].residual, values), 0, 1e-8);
}

static Expr scaled(Fixture *f, double factor, Expr e) {
  return expr_mul(f->g, expr_const(f->g, factor), e);
}

// Sparse random systems with a heavy entry in every row and column: linear in the unknowns, coefficients of known
// symbols, and sometimes a nonlinear term.
static void random_system(Fixture *f, Rng *r, bool nonlinear) {
  int shift = rng_below(r, f->n);
  for (int i = 0; i < f->n; i++) {
    Expr sum =
        expr_add(f->g, f->known[rng_below(r, SYMBOLS)], expr_const(f->g, rng_between(r, -1, 1)));
    int own = (i + shift) % f->n;
    sum = expr_add(f->g, sum, scaled(f, 4, f->unknowns[own].symbol));
    for (int k = 0; k < 2; k++) {
      Expr other = f->unknowns[rng_below(r, f->n)].symbol;
      int kind = rng_below(r, nonlinear ? 4 : 3);
      if (kind == 1) sum = expr_add(f->g, sum, scaled(f, rng_between(r, -1, 1), other));
      if (kind == 2)
        sum = expr_add(f->g, sum, expr_mul(f->g, expr_call(f->g, OP_SIN, f->known[0]), other));
      if (kind == 3)
        sum = expr_add(f->g, sum, expr_call(f->g, OP_SIN, expr_add(f->g, other, f->known[1])));
    }
    f->equations[i].residual = sum;
  }
}

static void solutions_satisfy_all_equations(void **state) {
  (void)state;
  Rng r = {51};
  int kinds[4] = {0};
  for (int trial = 0; trial < 600; trial++) {
    Fixture f;
    fixture_init(&f, 2 + trial % (N - 1));
    random_system(&f, &r, trial % 2);
    assert_true(fixture_solve(&f));
    for (int k = 0; k < f.sorted.block_count; k++) kinds[f.sorted.blocks[k].kind]++;
    double known[SYMBOLS] = {rng_between(&r, -1, 1), rng_between(&r, -1, 1),
                             rng_between(&r, -1, 1)};
    assert_solved(&f, known);
    arena_free(f.arena);
  }
  assert_true(kinds[SORT_ASSIGN] > 100 && kinds[SORT_LINEAR] > 50 && kinds[SORT_NONLINEAR] > 50);
}

static void every_equation_and_unknown_stands_in_one_block(void **state) {
  (void)state;
  Rng r = {52};
  for (int trial = 0; trial < 200; trial++) {
    Fixture f;
    fixture_init(&f, N);
    random_system(&f, &r, trial % 2);
    assert_true(fixture_solve(&f));
    int equations[N] = {0}, unknowns[N] = {0};
    for (int k = 0; k < f.sorted.block_count; k++)
      for (int i = 0; i < f.sorted.blocks[k].count; i++) {
        equations[f.sorted.blocks[k].equation[i]]++;
        unknowns[f.sorted.blocks[k].unknown[i]]++;
        assert_true(f.sorted.blocks[k].torn <= f.sorted.blocks[k].count);
      }
    for (int i = 0; i < N; i++) assert_true(equations[i] == 1 && unknowns[i] == 1);
    arena_free(f.arena);
  }
}

// a = x, b = -a, c = b: renaming costs nothing.
static void aliases_are_recognised(void **state) {
  (void)state;
  Fixture f;
  fixture_init(&f, 3);
  Expr a = f.unknowns[0].symbol, b = f.unknowns[1].symbol, c = f.unknowns[2].symbol;
  f.equations[0].residual = expr_sub(f.g, a, f.known[0]);
  f.equations[1].residual = expr_add(f.g, b, a);
  f.equations[2].residual = expr_sub(f.g, c, b);
  assert_true(fixture_solve(&f));
  for (int k = 0; k < 3; k++) assert_int_equal(f.sorted.blocks[k].kind, SORT_ALIAS);
  assert_int_equal(f.sorted.solution[2], expr_neg(f.g, f.known[0]));
  arena_free(f.arena);
}

// A chain a = p + b, b = 2 c, c = sin(d), d = x - a: one torn unknown is enough.
static void loops_are_torn(void **state) {
  (void)state;
  Fixture f;
  fixture_init(&f, 4);
  Expr a = f.unknowns[0].symbol, b = f.unknowns[1].symbol, c = f.unknowns[2].symbol,
       d = f.unknowns[3].symbol;
  f.equations[0].residual = expr_sub(f.g, a, expr_add(f.g, f.known[2], b));
  f.equations[1].residual = expr_sub(f.g, b, scaled(&f, 0.2, c));
  f.equations[2].residual = expr_sub(f.g, c, expr_call(f.g, OP_SIN, d));
  f.equations[3].residual = expr_sub(f.g, d, expr_sub(f.g, f.known[0], a));
  assert_true(fixture_solve(&f));
  assert_int_equal(f.sorted.block_count, 1);
  assert_int_equal(f.sorted.blocks[0].kind, SORT_NONLINEAR);
  assert_int_equal(f.sorted.blocks[0].torn, 1);
  assert_solved(&f, (double[]){0.4, 0.3, 0.2});
  arena_free(f.arena);
}

static void choices_between_linear_branches_stay_linear(void **state) {
  (void)state;
  Fixture f;
  fixture_init(&f, 2);
  Graph *g = f.g;
  Expr a = f.unknowns[0].symbol, b = f.unknowns[1].symbol, mode = f.known[1];
  f.equations[0].residual =
      expr_sub(g, expr_select(g, mode, scaled(&f, 3, a), a), expr_add(g, f.known[0], b));
  f.equations[1].residual = expr_sub(g, b, expr_mul(g, f.known[2], a));
  assert_true(fixture_solve(&f));
  for (int k = 0; k < f.sorted.block_count; k++)
    assert_int_not_equal(f.sorted.blocks[k].kind, SORT_NONLINEAR);
  for (int m = 0; m < 2; m++) assert_solved(&f, (double[]){0.7, m, 0.4});
  arena_free(f.arena);
}

static void coefficients_that_are_always_zero_are_noticed(void **state) {
  (void)state;
  Fixture f;
  fixture_init(&f, 2);
  Expr a = f.unknowns[0].symbol, b = f.unknowns[1].symbol;
  // a = x; then b*(a - x) = 1 does not determine b
  f.equations[0].residual = expr_sub(f.g, a, f.known[0]);
  f.equations[1].residual =
      expr_sub(f.g, expr_mul(f.g, b, expr_sub(f.g, a, f.known[0])), expr_const(f.g, 1));
  assert_false(fixture_solve(&f));
  arena_free(f.arena);
}

static void incidence_lists_each_unknown_once_and_in_order(void **state) {
  (void)state;
  Fixture f;
  fixture_init(&f, 3);
  Expr a = f.unknowns[0].symbol, c = f.unknowns[2].symbol;
  f.equations[0].residual = expr_add(f.g, expr_mul(f.g, c, a), expr_call(f.g, OP_SIN, a));
  f.equations[1].residual = f.known[0];
  f.equations[2].residual = f.unknowns[1].symbol;
  Incidence in = sort_incidence(f.g, f.arena, f.equations, 3, f.unknowns, 3);
  assert_int_equal(in.start[1], 2);
  assert_int_equal(in.start[2], 2);
  assert_int_equal(in.start[3], 3);
  assert_true(in.unknown[0] == 0 && in.unknown[1] == 2 && in.unknown[2] == 1);
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_satisfy_all_equations),
      cmocka_unit_test(every_equation_and_unknown_stands_in_one_block),
      cmocka_unit_test(aliases_are_recognised),
      cmocka_unit_test(loops_are_torn),
      cmocka_unit_test(choices_between_linear_branches_stay_linear),
      cmocka_unit_test(coefficients_that_are_always_zero_are_noticed),
      cmocka_unit_test(incidence_lists_each_unknown_once_and_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
