#include "expr/table.h"

#include "expr/derive.h"
#include "expr/simplify.h"
#include "test.h"

static const double X[] = {-2, 0, 0.25, 7};
enum { N = 4 };

static void rank_says_between_which_points_a_number_lies(void **state) {
  (void)state;
  ExprTable t = {N, X, 0};
  double at = table_address(&t), before = -1;
  for (double u = -30; u <= 30; u += 1. / 64) {
    int k = 0;
    while (k < N && X[k] <= u) k++;
    double r = table_rank(at, u);
    assert_close(floor(r), k, 0);
    assert_true(r > before);
    before = r;
  }
  for (int k = 0; k < N; k++) {
    assert_close(table_rank(at, X[k]), k + 1, 0);
    assert_close(floor(table_rank(at, nextafter(X[k], -9))), k, 0);
  }
  assert_close(floor(table_rank(at, HUGE_VAL)), N, 0);
  assert_close(floor(table_rank(at, -HUGE_VAL)), 0, 0);
  assert_true(isnan(table_rank(at, (double)NAN)));
}

static void lookup_stays_inside_the_table(void **state) {
  (void)state;
  ExprTable t = {N, X, 0};
  double at = table_address(&t);
  for (int i = -3; i < 9; i++)
    assert_close(table_lookup(at, i + 0.5 * (i > 0)), X[i < 0 ? 0 : i < N ? i : N - 1], 0);
  assert_close(table_lookup(at, HUGE_VAL), X[N - 1], 0);
  assert_true(isnan(table_lookup(at, (double)NAN)));
}

static void the_derivative_of_rank_is_its_difference_quotient(void **state) {
  (void)state;
  Arena *a = arena_new();
  Graph *g = graph_new(a);
  Expr u = expr_symbol(g, "u", true), r = expr_make(g, OP_RANK, expr_table(g, X, N), u, 0);
  Expr slope = derive(g, r, u), bend = derive(g, slope, u);
  for (double x = -5.03; x < 12; x += 0.31) {
    double h = 1e-5, up = x + h, down = x - h;
    double difference = (expr_eval(g, r, &up) - expr_eval(g, r, &down)) / (2 * h);
    assert_close(expr_eval(g, slope, &x), difference, 1e-8);
    difference = (expr_eval(g, slope, &up) - expr_eval(g, slope, &down)) / (2 * h);
    assert_close(expr_eval(g, bend, &x), difference, 1e-8);
  }
  arena_free(a);
}

static void equal_tables_are_one_and_constants_are_folded(void **state) {
  (void)state;
  Arena *a = arena_new();
  Graph *g = graph_new(a);
  Expr t = expr_table(g, X, N), other = expr_table(g, X, N - 1);
  assert_int_equal(t, expr_table(g, X, N));
  assert_true(t != other);
  Expr e = expr_make(g, OP_LOOKUP, t, expr_const(g, 2), 0);
  assert_true(expr_is_value(g, e, X[2]));
  Text text;
  text_init(&text);
  expr_print(&text, g, expr_make(g, OP_RANK, other, expr_symbol(g, "u", true), 0));
  assert_string_equal(text.at, "rank(table2, u)");
  text_done(&text);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rank_says_between_which_points_a_number_lies),
      cmocka_unit_test(lookup_stays_inside_the_table),
      cmocka_unit_test(the_derivative_of_rank_is_its_difference_quotient),
      cmocka_unit_test(equal_tables_are_one_and_constants_are_folded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
