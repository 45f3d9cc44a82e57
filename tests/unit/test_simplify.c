#include "expr/simplify.h"

#include "random_expression.h"
#include "test.h"

static void point_random(Rng *r, double *at) {
  for (int i = 0; i < RANDOM_SYMBOLS; i++) at[i] = rng_between(r, -3, 3);
}

// Away from kinks and with numbers of ordinary size, rounding cannot explain more than this.
static bool is_calm(const Evaluation *e) {
  return e->nearest > 1e-3 && e->largest < 1e4 && isfinite(e->value);
}

static void simplified_expressions_have_the_original_values(void **state) {
  (void)state;
  Rng r = {11};
  int compared = 0;
  for (int trial = 0; trial < 20000; trial++) {
    Arena *a = arena_new();
    Graph *g = graph_new(a);
    Expr symbols[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++) symbols[i] = expr_symbol(g, "s", i < 2);
    Recipe c = recipe_random(&r);
    Expr e = recipe_expression(&c, g, symbols);
    for (int k = 0; k < 4; k++) {
      double at[RANDOM_SYMBOLS];
      point_random(&r, at);
      Evaluation original = recipe_value(&c, at);
      if (!is_calm(&original)) continue;
      compared++;
      assert_close(expr_eval(g, e, at), original.value, 1e-9 * (1 + original.largest));
    }
    arena_free(a);
  }
  assert_true(compared > 10000);
}

static void angles_of_slopes_need_no_angle(void **state) {
  (void)state;
  Arena *a = arena_new();
  Graph *g = graph_new(a);
  Expr x = expr_symbol(g, "x", true), angle = expr_call(g, OP_ATAN, x), two = expr_const(g, 2);
  Expr doubled[] = {expr_mul(g, two, angle), expr_mul(g, angle, two)};
  for (int k = 0; k < 2; k++) {
    Expr s = expr_call(g, OP_SIN, doubled[k]), c = expr_call(g, OP_COS, doubled[k]);
    assert_true(g->nodes[s].op == OP_DIV && g->nodes[c].op != OP_COS);
    for (double at = -1e9; at < 2e9; at = at < -1e-3 ? at / 3 : at < 1e-3 ? 0.01 : at * 3) {
      assert_close(expr_eval(g, s, &at), sin(2 * atan(at)), 3e-16);
      assert_close(expr_eval(g, c, &at), cos(2 * atan(at)), 3e-16);
    }
  }
  arena_free(a);
}

// Symbols of a graph with time: the first is the time, the sum of two symbols.
static void symbols_with_time(Graph *g, Expr *symbols) {
  expr_make_time(g);
  symbols[0] = g->now;
  for (int i = 1; i < RANDOM_SYMBOLS; i++) symbols[i] = expr_symbol(g, "s", i < 2);
}

static bool is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void at_origin_0_time_is_an_ordinary_symbol_to_the_last_bit(void **state) {
  (void)state;
  Rng r = {13};
  for (int trial = 0; trial < 20000; trial++) {
    Arena *a = arena_new();
    Graph *plain = graph_new(a), *timed = graph_new(a);
    Expr symbols[RANDOM_SYMBOLS], with_time[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++) symbols[i] = expr_symbol(plain, "s", i < 2);
    symbols_with_time(timed, with_time);
    Recipe c = recipe_random(&r);
    Expr e = recipe_expression(&c, plain, symbols), f = recipe_expression(&c, timed, with_time);
    for (int k = 0; k < 4; k++) {
      double at[RANDOM_SYMBOLS], there[RANDOM_SYMBOLS + 1];
      point_random(&r, at);
      there[0] = at[0], there[1] = 0; // the time since the origin, and the origin
      for (int i = 1; i < RANDOM_SYMBOLS; i++) there[i + 1] = at[i];
      assert_true(is_same(expr_eval(plain, e, at), expr_eval(timed, f, there)));
    }
    arena_free(a);
  }
}

// Seconds since 1970 are 2.4e-7 apart: of rounded numbers the differences would be as rough as that.
static void differences_to_the_time_are_exact_far_from_0(void **state) {
  (void)state;
  const double ORIGIN = 1672884000, AT = ORIGIN + 3;
  Arena *a = arena_new();
  Graph *g = graph_new(a);
  expr_make_time(g);
  Expr at = expr_const(g, AT), parameter = expr_symbol(g, "p", false);
  Expr varying = expr_symbol(g, "x", true);
  Expr after[] = {expr_sub(g, g->now, at),
                  expr_add(g, g->now, expr_const(g, -AT)),
                  expr_neg(g, expr_sub(g, at, g->now)),
                  expr_sub(g, g->now, parameter),
                  expr_neg(g, expr_sub(g, parameter, g->now)),
                  expr_sub(g, g->now, varying)};
  for (double t = 1e-9; t < 1e3; t *= 1.37)
    for (size_t k = 0; k < sizeof after / sizeof *after; k++)
      assert_true(expr_eval(g, after[k], (double[]){t, ORIGIN, AT, AT}) == t - 3);
  arena_free(a);
}

// Where the original is finite the simplified one must be: nothing may become 0/0.
static void simplification_makes_no_new_singularities(void **state) {
  (void)state;
  static const double SPECIAL[] = {0, 1, -1, 0.5, 2, -0.5};
  Rng r = {12};
  int compared = 0;
  for (int trial = 0; trial < 20000; trial++) {
    Arena *a = arena_new();
    Graph *g = graph_new(a);
    Expr symbols[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++) symbols[i] = expr_symbol(g, "s", i < 2);
    Recipe c = recipe_random(&r);
    Expr e = recipe_expression(&c, g, symbols);
    double at[RANDOM_SYMBOLS];
    for (int i = 0; i < RANDOM_SYMBOLS; i++) at[i] = SPECIAL[rng_below(&r, 6)];
    Evaluation original = recipe_value(&c, at);
    if (isfinite(original.largest)) { // every number on the way is finite
      compared++;
      assert_true(isfinite(expr_eval(g, e, at)));
    }
    arena_free(a);
  }
  assert_true(compared > 3000);
}

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr x, y, p, zero, one;
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  f.x = expr_symbol(f.g, "x", true);
  f.y = expr_symbol(f.g, "y", true);
  f.p = expr_symbol(f.g, "p", false);
  f.zero = expr_const(f.g, 0), f.one = expr_const(f.g, 1);
  return f;
}

static void neutral_elements_vanish(void **state) {
  (void)state;
  Fixture f = fixture_new();
  assert_int_equal(expr_add(f.g, f.x, f.zero), f.x);
  assert_int_equal(expr_mul(f.g, f.one, f.x), f.x);
  assert_int_equal(expr_mul(f.g, f.x, f.zero), f.zero);
  assert_int_equal(expr_div(f.g, f.x, f.one), f.x);
  assert_int_equal(expr_pow(f.g, f.x, f.one), f.x);
  assert_int_equal(expr_pow(f.g, f.x, f.zero), f.one);
  assert_int_equal(expr_sub(f.g, f.x, f.x), f.zero);
  assert_int_equal(expr_neg(f.g, expr_neg(f.g, f.x)), f.x);
  arena_free(f.arena);
}

static void constants_are_folded_unless_they_are_infinite(void **state) {
  (void)state;
  Fixture f = fixture_new();
  assert_true(expr_is_value(f.g, expr_call(f.g, OP_SIN, expr_const(f.g, 2)), sin(2)));
  assert_false(expr_is_const(f.g, expr_div(f.g, f.one, f.zero)));
  assert_false(expr_is_const(f.g, expr_call(f.g, OP_LOG, expr_const(f.g, -1))));
  arena_free(f.arena);
}

static void integer_powers_are_products(void **state) {
  (void)state;
  Fixture f = fixture_new();
  double at[] = {-1.7, 0, 0};
  for (int n = -16; n <= 16; n++) {
    Expr e = expr_pow(f.g, f.x, expr_const(f.g, n));
    assert_int_not_equal(expr_node(f.g, e)->op, OP_POW);
    assert_close_relative(expr_eval(f.g, e, at), pow(at[0], n), 1e-14);
  }
  arena_free(f.arena);
}

// Division by what does not vary becomes a product with a reciprocal that is computed once.
static void division_by_a_parameter_is_a_product(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr e = expr_div(f.g, f.x, f.p);
  assert_int_equal(expr_node(f.g, e)->op, OP_MUL);
  assert_int_equal(expr_node(f.g, expr_div(f.g, f.p, f.x))->op, OP_DIV);
  arena_free(f.arena);
}

static void choices_that_are_decided_vanish(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr less = expr_make(f.g, OP_LT, f.x, f.y, 0);
  assert_int_equal(expr_select(f.g, f.one, f.x, f.y), f.x);
  assert_int_equal(expr_select(f.g, f.zero, f.x, f.y), f.y);
  assert_int_equal(expr_select(f.g, less, f.x, f.x), f.x);
  assert_int_equal(expr_make(f.g, OP_AND, less, f.zero, 0), f.zero);
  assert_int_equal(expr_make(f.g, OP_OR, less, f.zero, 0), less);
  assert_int_equal(expr_make(f.g, OP_NOT, expr_make(f.g, OP_NOT, less, 0, 0), 0, 0), less);
  arena_free(f.arena);
}

static void a_product_of_small_factors_does_not_vanish(void **state) {
  (void)state;
  Fixture f = fixture_new();
  double at[8] = {1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300};
  Expr small = expr_const(f.g, 1e-200), e = expr_mul(f.g, small, expr_mul(f.g, small, f.x));
  assert_close_relative(expr_eval(f.g, e, at), 1e-100, 1e-14);
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simplified_expressions_have_the_original_values),
      cmocka_unit_test(angles_of_slopes_need_no_angle),
      cmocka_unit_test(at_origin_0_time_is_an_ordinary_symbol_to_the_last_bit),
      cmocka_unit_test(differences_to_the_time_are_exact_far_from_0),
      cmocka_unit_test(simplification_makes_no_new_singularities),
      cmocka_unit_test(neutral_elements_vanish),
      cmocka_unit_test(constants_are_folded_unless_they_are_infinite),
      cmocka_unit_test(integer_powers_are_products),
      cmocka_unit_test(division_by_a_parameter_is_a_product),
      cmocka_unit_test(choices_that_are_decided_vanish),
      cmocka_unit_test(a_product_of_small_factors_does_not_vanish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
