#include "expr/derive.h"

#include <string.h>

#include "evaluate.h"
#include "expr/simplify.h"
#include "random_expression.h"
#include "test.h"

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr s[RANDOM_SYMBOLS]; // x, y varying, p not
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  for (int i = 0; i < RANDOM_SYMBOLS; i++)
    f.s[i] = expr_symbol(f.g, i == 2 ? "p" : i == 1 ? "y" : "x", i < 2);
  return f;
}

static void point_random(Rng *r, double *at) {
  for (int i = 0; i < RANDOM_SYMBOLS; i++) at[i] = rng_between(r, -2, 2);
}

// Central difference along a direction, trusted only when two steps agree.
static bool slope_of(const Graph *g, Expr e, const double *at, const double *direction,
                     double *slope) {
  double d[2];
  for (int k = 0; k < 2; k++) {
    double h = k ? 1e-5 : 3e-5, plus[RANDOM_SYMBOLS], minus[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++)
      plus[i] = at[i] + h * direction[i], minus[i] = at[i] - h * direction[i];
    d[k] = (expr_eval(g, e, plus) - expr_eval(g, e, minus)) / (2 * h);
  }
  *slope = d[1];
  return isfinite(d[0]) && fabs(d[0] - d[1]) <= 1e-6 * (1 + fabs(d[1]));
}

static void derivatives_match_differences_on_random_expressions(void **state) {
  (void)state;
  Rng r = {21};
  int compared = 0, equal = 0;
  for (int trial = 0; trial < 10000; trial++) {
    Fixture f = fixture_new();
    Recipe c = recipe_random(&r);
    Expr e = recipe_expression(&c, f.g, f.s);
    double at[RANDOM_SYMBOLS];
    bool calm = recipe_calm_point(&r, &c, 1e-2, at);
    for (int i = 0; i < RANDOM_SYMBOLS && calm; i++) {
      double direction[RANDOM_SYMBOLS] = {0}, slope;
      direction[i] = 1;
      if (!slope_of(f.g, e, at, direction, &slope)) continue;
      double exact = expr_eval(f.g, derive(f.g, e, f.s[i]), at);
      assert_close(exact, slope, 1e-5 * (1 + fabs(slope)));
      if (slope == 0 || slope == nearbyint(slope)) continue;
      compared++;
      equal += exact == slope;
    }
    arena_free(f.arena);
  }
  assert_true(compared > 1500);
  assert_true(equal < compared / 100); // exact derivatives are not differences
}

static void rows_and_directions_agree_on_random_expressions(void **state) {
  (void)state;
  Rng r = {22};
  int compared = 0;
  for (int trial = 0; trial < 5000; trial++) {
    Fixture f = fixture_new();
    Recipe c[2] = {recipe_random(&r), recipe_random(&r)};
    Expr e[2] = {recipe_expression(&c[0], f.g, f.s), recipe_expression(&c[1], f.g, f.s)}, along[2];
    double at[RANDOM_SYMBOLS], direction[RANDOM_SYMBOLS];
    Expr seed[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++) {
      direction[i] = rng_between(&r, -1, 1);
      seed[i] = expr_const(f.g, direction[i]);
    }
    Derivatives d = derive_rows(f.g, f.arena, e, 2, f.s, RANDOM_SYMBOLS);
    derive_direction(f.g, e, 2, f.s, seed, RANDOM_SYMBOLS, along);
    for (int row = 0; row < 2; row++) {
      if (!recipe_calm_point(&r, &c[row], 1e-2, at)) continue;
      double sum = 0, size = 1;
      for (int k = d.start[row]; k < d.start[row + 1]; k++) {
        double v = expr_eval(f.g, d.value[k], at);
        sum += v * direction[d.column[k]];
        size += fabs(v);
      }
      if (!isfinite(size) || size > 1e6) continue;
      compared++;
      assert_close(expr_eval(f.g, along[row], at), sum, 1e-9 * size);
    }
    arena_free(f.arena);
  }
  assert_true(compared > 500);
}

// Derivative of the derivative by x in a direction, as the implicit integrator needs it.
static void second_derivatives_match_differences(void **state) {
  (void)state;
  Rng r = {23};
  int compared = 0;
  for (int trial = 0; trial < 10000; trial++) {
    Fixture f = fixture_new();
    Recipe c = recipe_random(&r);
    Expr e = recipe_expression(&c, f.g, f.s), first = derive(f.g, e, f.s[0]), second,
         seed[RANDOM_SYMBOLS];
    double at[RANDOM_SYMBOLS], direction[RANDOM_SYMBOLS], slope;
    for (int i = 0; i < RANDOM_SYMBOLS; i++) {
      direction[i] = rng_between(&r, -1, 1);
      seed[i] = expr_const(f.g, direction[i]);
    }
    derive_direction(f.g, &first, 1, f.s, seed, RANDOM_SYMBOLS, &second);
    if (recipe_calm_point(&r, &c, 1e-2, at) && slope_of(f.g, first, at, direction, &slope)) {
      assert_close(expr_eval(f.g, second, at), slope, 1e-5 * (1 + fabs(slope)));
      compared += slope != 0;
    }
    arena_free(f.arena);
  }
  assert_true(compared > 300);
}

static void symmetric_second_derivatives_are_symmetric(void **state) {
  (void)state;
  Rng r = {24};
  int compared = 0;
  for (int trial = 0; trial < 12000; trial++) {
    Fixture f = fixture_new();
    Recipe c = recipe_random(&r);
    Expr e = recipe_expression(&c, f.g, f.s);
    Expr xy = derive(f.g, derive(f.g, e, f.s[0]), f.s[1]),
         yx = derive(f.g, derive(f.g, e, f.s[1]), f.s[0]);
    double at[RANDOM_SYMBOLS];
    bool calm = recipe_calm_point(&r, &c, 1e-2, at);
    double a = expr_eval(f.g, xy, at), b = expr_eval(f.g, yx, at);
    if (calm && fabs(a) < 1e6) {
      assert_close(a, b, 1e-8 * (1 + fabs(a)));
      compared += a != 0;
    }
    arena_free(f.arena);
  }
  assert_true(compared > 100);
}

// ---------------------------------------------------------------- kinks

static void kinks_have_one_sided_derivatives(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr x = f.s[0], y = f.s[1], zero = expr_const(f.g, 0);
  double at[] = {0, 0, 0};
  assert_close(fabs(expr_eval(f.g, derive(f.g, expr_call(f.g, OP_ABS, x), x), at)), 1, 0);
  static const Op PAIRS[] = {OP_MIN, OP_MAX};
  for (int k = 0; k < 2; k++) {
    Expr e = expr_make(f.g, PAIRS[k], x, y, 0);
    double by_x = expr_eval(f.g, derive(f.g, e, x), at),
           by_y = expr_eval(f.g, derive(f.g, e, y), at);
    assert_true((by_x == 1 && by_y == 0) || (by_x == 0 && by_y == 1));
  }
  Expr choice =
      expr_select(f.g, expr_make(f.g, OP_LT, x, zero, 0), expr_mul(f.g, expr_const(f.g, 3), x), y);
  assert_close(expr_eval(f.g, derive(f.g, choice, x), at), 0, 0); // x < 0 is false at 0
  at[0] = -1;
  assert_close(expr_eval(f.g, derive(f.g, choice, x), at), 3, 0);
  arena_free(f.arena);
}

// ---------------------------------------------------------------- singular spots

static void assert_finite_derivatives(Fixture *f, Expr e, const double *at) {
  for (int i = 0; i < RANDOM_SYMBOLS; i++)
    assert_true(isfinite(expr_eval(f->g, derive(f->g, e, f->s[i]), at)));
}

static void roots_and_angles_have_finite_derivatives_at_zero(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr x = f.s[0], y = f.s[1];
  double at[] = {0, 0, 0};
  Expr sum = expr_add(f.g, expr_mul(f.g, x, x), expr_mul(f.g, y, y));
  assert_finite_derivatives(&f, expr_call(f.g, OP_SQRT, sum), at);
  assert_finite_derivatives(&f, expr_call(f.g, OP_SQRT, x), at);
  assert_finite_derivatives(&f, expr_mul(f.g, x, expr_call(f.g, OP_SQRT, x)), at);
  assert_finite_derivatives(&f, expr_make(f.g, OP_ATAN2, x, y, 0), at);
  at[0] = 1;
  assert_finite_derivatives(&f, expr_call(f.g, OP_ASIN, x), at);
  assert_finite_derivatives(&f, expr_call(f.g, OP_ACOS, x), at);
  arena_free(f.arena);
}

static void powers_have_finite_derivatives_at_zero(void **state) {
  (void)state;
  static const double EXPONENT[] = {0.5, 1, 1.0000001, 1.5, 2, 2.5, 3};
  Fixture f = fixture_new();
  Expr z = f.s[0], n = f.s[2], magnitude = expr_call(f.g, OP_ABS, z);
  Expr power = expr_pow(f.g, z, n),
       hysteresis =
           expr_mul(f.g, z, expr_pow(f.g, magnitude, expr_sub(f.g, n, expr_const(f.g, 1))));
  Expr even = expr_pow(f.g, magnitude, n);
  for (int k = 0; k < 7; k++) {
    double at[] = {0, 0, EXPONENT[k]};
    assert_finite_derivatives(&f, power, at);
    assert_finite_derivatives(&f, even, at);
    if (EXPONENT[k] > 1) assert_finite_derivatives(&f, hysteresis, at);
  }
  arena_free(f.arena);
}

// z*abs(z)^(n-1) has the slope n*abs(z)^(n-1) everywhere, which goes to 0 at z = 0.
static void hysteresis_has_its_limit_slope_at_zero(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr z = f.s[0], n = f.s[2];
  Expr e = expr_mul(f.g, z,
                    expr_pow(f.g, expr_call(f.g, OP_ABS, z), expr_sub(f.g, n, expr_const(f.g, 1))));
  Expr by_z = derive(f.g, e, z), by_n = derive(f.g, e, n);
  for (int k = 0; k < 16; k++) {
    double at[] = {0, 0, 1.1 + 0.1 * k};
    assert_close(expr_eval(f.g, by_z, at), 0, 0);
    assert_close(expr_eval(f.g, by_n, at), 0, 0);
    at[0] = k % 2 ? 0.3 : -0.3;
    assert_close_relative(expr_eval(f.g, by_z, at), at[2] * pow(0.3, at[2] - 1), 1e-14);
  }
  arena_free(f.arena);
}

// p*(if x > 0 then sqrt(x) else 0) + y*(if x > 0 then exp(sqrt(x)) else x)
static void untaken_branches_stay_out_of_products_and_sums(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Graph *g = f.g;
  Expr x = f.s[0], positive = expr_make(g, OP_LT, expr_const(g, 0), x, 0),
       root = expr_call(g, OP_SQRT, x);
  Expr first = expr_mul(g, f.s[2], expr_select(g, positive, root, 0));
  Expr second = expr_mul(g, f.s[1], expr_select(g, positive, expr_call(g, OP_EXP, root), x));
  Expr e = expr_add(g, first, second);
  double at[] = {-2, 5, 3};
  assert_close(expr_eval(g, derive(g, e, x), at), 5, 0);
  Expr along;
  derive_direction(g, &e, 1, &x, (Expr[]){1}, 1, &along);
  assert_close(expr_eval(g, along, at), 5, 0);
  at[0] = 4;
  assert_close_relative(expr_eval(g, derive(g, e, x), at), 3. / 4 + 5 * exp(2) / 4, 1e-15);
  arena_free(f.arena);
}

static void a_branch_that_is_not_taken_does_not_spoil_the_derivative(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr x = f.s[0], y = f.s[1], positive = expr_make(f.g, OP_LT, expr_const(f.g, 0), x, 0);
  Expr e = expr_select(f.g, positive, expr_call(f.g, OP_LOG, x), expr_mul(f.g, x, y));
  double at[] = {-2, 5, 0};
  assert_close(expr_eval(f.g, derive(f.g, e, x), at), 5, 0);
  at[0] = 0;
  assert_close(expr_eval(f.g, derive(f.g, e, x), at), 5, 0);
  at[0] = 4;
  assert_close(expr_eval(f.g, derive(f.g, e, x), at), 0.25, 0);
  arena_free(f.arena);
}

// ---------------------------------------------------------------- implicit functions

static double evaluated_slope(const Graph *g, Expr e, const double *at, int symbol) {
  enum { MOST = 16 };
  double plus[MOST], minus[MOST], h = 1e-4;
  memcpy(plus, at, sizeof plus);
  memcpy(minus, at, sizeof minus);
  plus[symbol] += h, minus[symbol] -= h;
  double wide = (evaluate(g, e, plus) - evaluate(g, e, minus)) / (2 * h);
  plus[symbol] -= h / 2, minus[symbol] += h / 2;
  double narrow = (evaluate(g, e, plus) - evaluate(g, e, minus)) / h;
  return (4 * narrow - wide) / 3;
}

// M(x, y, p) z = b(x, y, p), dense and regular
static void linear_system(Fixture *f, bool transposed, Expr *z) {
  Graph *g = f->g;
  Expr x = f->s[0], y = f->s[1], p = f->s[2];
  Expr matrix[9] = {expr_add(g, expr_const(g, 3), expr_mul(g, x, x)),
                    y,
                    expr_call(g, OP_SIN, p),
                    expr_mul(g, x, p),
                    expr_const(g, -2),
                    expr_call(g, OP_COS, y),
                    expr_const(g, 0.5),
                    x,
                    expr_add(g, expr_const(g, 4), p)};
  Expr right[3] = {p, expr_mul(g, x, y), expr_call(g, OP_EXP, x)};
  expr_solve(g, expr_factor(g, 3, matrix), transposed, right, z);
}

static void linear_systems_are_differentiated_by_the_implicit_function_theorem(void **state) {
  (void)state;
  Rng r = {25};
  for (int trial = 0; trial < 40; trial++) {
    Fixture f = fixture_new();
    Expr z[3];
    linear_system(&f, trial % 2, z);
    Expr e = expr_add(f.g, expr_mul(f.g, z[0], z[1]), expr_call(f.g, OP_SIN, z[2]));
    double at[16] = {0};
    point_random(&r, at);
    Expr d[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++) d[i] = derive(f.g, e, f.s[i]);
    for (int i = 0; i < RANDOM_SYMBOLS; i++) {
      double slope = evaluated_slope(f.g, e, at, i);
      assert_close(evaluate(f.g, d[i], at), slope, 1e-7 * (1 + fabs(slope)));
      double second = evaluated_slope(
          f.g, d[0], at, i); // and once more, through the solution of the adjoint system
      Expr dd = derive(f.g, d[0], f.s[i]);
      assert_close(evaluate(f.g, dd, at), second, 1e-6 * (1 + fabs(second)));
    }
    arena_free(f.arena);
  }
}

// a + a^3 + p b = x, b + sinh(b) - a y = p: one solution for small y
static void nonlinear_system(Fixture *f, Expr *z) {
  static const char *const NAMES[] = {"a", "b"};
  Graph *g = f->g;
  Expr x = f->s[0], y = f->s[1], p = f->s[2];
  Expr a = expr_symbol(g, "a", true), b = expr_symbol(g, "b", true);
  Expr cube = expr_mul(g, a, expr_mul(g, a, a)), small = expr_mul(g, expr_const(g, 0.2), y);
  Expr first = expr_sub(
      g, expr_add(g, expr_add(g, a, cube), expr_mul(g, expr_mul(g, expr_const(g, 0.3), p), b)), x);
  Expr second =
      expr_sub(g, expr_sub(g, expr_add(g, b, expr_call(g, OP_SINH, b)), expr_mul(g, a, small)), p);
  Expr start =
      expr_newton(g, 2, (Expr[]){a, b}, (Expr[]){first, second}, (Expr[]){0, 0}, NAMES, 1, 1);
  z[0] = start, z[1] = start + 1;
}

static void nonlinear_systems_are_differentiated_by_the_implicit_function_theorem(void **state) {
  (void)state;
  Rng r = {26};
  for (int trial = 0; trial < 20; trial++) {
    Fixture f = fixture_new();
    Expr z[2];
    nonlinear_system(&f, z);
    Expr e = expr_add(f.g, expr_mul(f.g, z[0], f.s[1]), expr_call(f.g, OP_COS, z[1]));
    double at[16] = {0};
    point_random(&r, at);
    Expr d[RANDOM_SYMBOLS], along, seed[RANDOM_SYMBOLS];
    double sum = 0;
    for (int i = 0; i < RANDOM_SYMBOLS; i++) d[i] = derive(f.g, e, f.s[i]);
    for (int i = 0; i < RANDOM_SYMBOLS; i++) {
      double slope = evaluated_slope(f.g, e, at, i);
      assert_close(evaluate(f.g, d[i], at), slope, 1e-7 * (1 + fabs(slope)));
      double second = evaluated_slope(f.g, d[1], at, i);
      Expr dd = derive(f.g, d[1], f.s[i]);
      assert_close(evaluate(f.g, dd, at), second, 1e-6 * (1 + fabs(second)));
      seed[i] = expr_const(f.g, 0.3 + i);
      sum += (0.3 + i) * slope;
    }
    derive_direction(f.g, &e, 1, f.s, seed, RANDOM_SYMBOLS, &along);
    assert_close(evaluate(f.g, along, at), sum, 1e-6 * (1 + fabs(sum)));
    arena_free(f.arena);
  }
}

static void derivatives_by_what_does_not_occur_are_left_out(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr e[] = {expr_call(f.g, OP_SIN, f.s[0]), expr_const(f.g, 3), expr_mul(f.g, f.s[0], f.s[2])};
  Derivatives d = derive_rows(f.g, f.arena, e, 3, f.s, RANDOM_SYMBOLS);
  assert_int_equal(d.start[1] - d.start[0], 1);
  assert_int_equal(d.start[2] - d.start[1], 0);
  assert_int_equal(d.start[3] - d.start[2], 2);
  assert_int_equal(d.column[d.start[2]], 0);
  assert_int_equal(d.column[d.start[2] + 1], 2);
  assert_int_equal(derive(f.g, e[0], f.s[1]), 0);
  arena_free(f.arena);
}

static void a_long_chain_is_differentiated_without_recursion(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr e = f.s[0];
  for (int i = 0; i < 20000; i++) e = expr_call(f.g, OP_SIN, expr_add(f.g, e, f.s[1]));
  double at[] = {0.3, 0.5, 0}, x = at[0], slope = 1;
  for (int i = 0; i < 20000; i++) slope *= cos(x + at[1]), x = sin(x + at[1]);
  assert_close(expr_eval(f.g, derive(f.g, e, f.s[0]), at), slope, 1e-12);
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_match_differences_on_random_expressions),
      cmocka_unit_test(rows_and_directions_agree_on_random_expressions),
      cmocka_unit_test(second_derivatives_match_differences),
      cmocka_unit_test(symmetric_second_derivatives_are_symmetric),
      cmocka_unit_test(kinks_have_one_sided_derivatives),
      cmocka_unit_test(roots_and_angles_have_finite_derivatives_at_zero),
      cmocka_unit_test(powers_have_finite_derivatives_at_zero),
      cmocka_unit_test(hysteresis_has_its_limit_slope_at_zero),
      cmocka_unit_test(untaken_branches_stay_out_of_products_and_sums),
      cmocka_unit_test(a_branch_that_is_not_taken_does_not_spoil_the_derivative),
      cmocka_unit_test(linear_systems_are_differentiated_by_the_implicit_function_theorem),
      cmocka_unit_test(nonlinear_systems_are_differentiated_by_the_implicit_function_theorem),
      cmocka_unit_test(derivatives_by_what_does_not_occur_are_left_out),
      cmocka_unit_test(a_long_chain_is_differentiated_without_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
