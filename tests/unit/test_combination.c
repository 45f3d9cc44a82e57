#include "stats/combination.h"

#include "test.h"

static const char *const name[] = {"alpha", "beta", "A", "n", "k", "m"};
static const int order[] = {0, 1, 2, 3, 4, 5};

#define CONSTANT(p, q)                                                                             \
  { {p, q}, {0, 1}, -1 }

static void rationals_are_the_simplest_near(void **state) {
  (void)state;
  Rational r;
  for (int q = 1; q <= 6; q++)
    for (int p = -9; p <= 9; p++) {
      assert_true(rational_near((double)p / q + 1e-7, 1e-5, &r));
      assert_close(rational_value(r), (double)p / q, 1e-15);
      assert_true(r.q <= q);
    }
  assert_false(rational_near(0.7071, 1e-4, &r));
  assert_false(rational_near(1e9, 1e-4, &r));
  assert_false(rational_near(nan(""), 1e-4, &r));
}

static void products_read_as_people_write_them(void **state) {
  (void)state;
  Arena *a = arena_new();
  Factor both[] = {{2, CONSTANT(1, 1)}, {0, CONSTANT(1, 1)}};
  assert_string_equal(product_text(a, both, 2, name, order), "alpha*A");
  Factor power[] = {{1, CONSTANT(1, 1)}, {0, {{1, 1}, {-1, 1}, 3}}};
  assert_string_equal(product_text(a, power, 2, name, order), "beta*alpha^(1-n)");
  power[1].exponent = (Exponent){{-1, 1}, {1, 1}, 3};
  assert_string_equal(product_text(a, power, 2, name, order), "beta*alpha^(n-1)");
  power[1].exponent = (Exponent){{0, 1}, {1, 1}, 3};
  assert_string_equal(product_text(a, power, 2, name, order), "beta*alpha^n");
  power[1].exponent = (Exponent){{0, 1}, {-1, 1}, 3};
  assert_string_equal(product_text(a, power, 2, name, order), "beta*alpha^(-n)");
  power[1].exponent = (Exponent){{1, 2}, {3, 2}, 3};
  assert_string_equal(product_text(a, power, 2, name, order), "beta*alpha^(1/2+3*n/2)");
  power[1].exponent = (Exponent){{-2, 1}, {-3, 1}, 3};
  assert_string_equal(product_text(a, power, 2, name, order), "beta*alpha^(-2-3*n)");
  Factor quotient[] = {{5, CONSTANT(-1, 1)}, {4, CONSTANT(2, 1)}, {0, CONSTANT(-1, 2)}};
  assert_string_equal(product_text(a, quotient, 3, name, order), "k^2/alpha^(1/2)/m");
  arena_free(a);
}

static void sums_read_as_people_write_them(void **state) {
  (void)state;
  Arena *a = arena_new();
  Term sum[] = {{5, {1, 1}}, {4, {1, 1}}};
  assert_string_equal(sum_text(a, sum, 2, name, order), "k + m");
  Term difference[] = {{5, {1, 1}}, {4, {-1, 2}}};
  assert_string_equal(sum_text(a, difference, 2, name, order), "k - 2*m");
  assert_int_equal(difference[0].coefficient.p, -2);
  arena_free(a);
}

static void exponents_have_values(void **state) {
  (void)state;
  double x[] = {0, 0, 0, 2.5};
  Exponent e = {{1, 1}, {-1, 2}, 3};
  assert_close(exponent_value(&e, x), -0.25, 0);
  Exponent c = CONSTANT(1, 1);
  assert_true(exponent_cost(&c) < exponent_cost(&e));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rationals_are_the_simplest_near),
      cmocka_unit_test(products_read_as_people_write_them),
      cmocka_unit_test(sums_read_as_people_write_them),
      cmocka_unit_test(exponents_have_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
