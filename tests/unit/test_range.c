#include "expr/range.h"

#include "random_expression.h"
#include "test.h"

static OpRange random_range(Rng *r) {
  double ends[] = {-HUGE_VAL, -2, -1, -0.5, 0, 0.25, 1, 3, HUGE_VAL};
  double a = ends[rng_below(r, 9)], b = ends[rng_below(r, 9)];
  return (OpRange){fmin(a, b), fmax(a, b)};
}

static double random_inside(Rng *r, OpRange range) {
  double low = fmax(range.low, -50), high = fmin(range.high, 50);
  return low < high ? rng_between(r, low, high) : range.low;
}

static void the_range_contains_every_value(void **state) {
  (void)state;
  Rng r = {17};
  for (int i = 0; i < 20000; i++) {
    Op op = RANDOM_OPS[rng_below(&r, RANDOM_OP_COUNT)];
    OpRange a = random_range(&r), b = random_range(&r), got = op_range(op, a, b, false);
    for (int k = 0; k < 20; k++) {
      double x = random_inside(&r, a), y = random_inside(&r, b), z = op_apply(op, x, y, y);
      bool inside = !(z < got.low) && !(z > got.high); // NaN is no value, and no bound
      if (!inside)
        fail_msg("%s(%g, %g) = %g is not in [%g, %g]", OPS[op].name, x, y, z, got.low, got.high);
    }
  }
}

static void a_square_is_not_negative(void **state) {
  (void)state;
  OpRange a = {-2, 3};
  assert_true(op_range(OP_MUL, a, a, false).low == -6);
  assert_true(op_range(OP_MUL, a, a, true).low == 0);
  assert_true(op_range(OP_MUL, a, a, true).high == 9);
}

static void ends_of_simple_functions_are_exact(void **state) {
  (void)state;
  OpRange a = {0.25, 4}, any = op_range(OP_DIV, a, (OpRange){-1, 1}, false);
  assert_true(op_range(OP_SQRT, a, a, true).low == 0.5 && op_range(OP_SQRT, a, a, true).high == 2);
  assert_true(op_range(OP_LOG, (OpRange){-1, 1}, a, false).low == -HUGE_VAL);
  assert_true(op_range(OP_SIN, a, a, true).high == 1);
  assert_true(any.low == -HUGE_VAL && any.high == HUGE_VAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_range_contains_every_value),
      cmocka_unit_test(a_square_is_not_negative),
      cmocka_unit_test(ends_of_simple_functions_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
