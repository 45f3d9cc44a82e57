#include "expr/op.h"

#include <string.h>

#include "test.h"

static void every_operator_has_its_row(void **state) {
  (void)state;
  for (int op = 0; op < OP_COUNT; op++) {
    assert_non_null(OPS[op].name);
    assert_in_range(OPS[op].args, 0, 3);
    assert_non_null(OPS[op].text);
  }
  assert_string_equal(OPS[OP_ADD].name, "ADD");
  assert_string_equal(OPS[OP_LE].text, "<=");
  assert_int_equal(OPS[OP_FMA].args, 3);
  assert_int_equal(OPS[OP_POW].kind, OP_KIND_CALL);
}

static double apply(Op op, double a, double b) {
  return op_apply(op, a, b, 0);
}

static void minimum_and_maximum_give_the_second_operand_when_in_doubt(void **state) {
  (void)state;
  double nan = (double)NAN;
  assert_true(signbit(apply(OP_MIN, 0.0, -0.0)) && !signbit(apply(OP_MIN, -0.0, 0.0)));
  assert_true(signbit(apply(OP_MAX, 0.0, -0.0)) && !signbit(apply(OP_MAX, -0.0, 0.0)));
  assert_true(apply(OP_MIN, nan, 1) == 1 && isnan(apply(OP_MIN, 1, nan)));
  assert_true(apply(OP_MAX, nan, 1) == 1 && isnan(apply(OP_MAX, 1, nan)));
}

static void relations_give_one_or_zero_and_are_false_for_nan(void **state) {
  (void)state;
  double nan = (double)NAN;
  assert_true(apply(OP_LT, 1, 2) == 1 && apply(OP_LT, 2, 1) == 0 && apply(OP_LT, nan, 1) == 0);
  assert_true(apply(OP_LE, 1, 1) == 1 && apply(OP_LE, 1, nan) == 0);
  assert_true(apply(OP_EQ, 0.0, -0.0) == 1 && apply(OP_EQ, nan, nan) == 0);
  assert_true(apply(OP_NE, nan, nan) == 1 && apply(OP_NE, 1, 1) == 0);
}

static void logic_takes_everything_but_zero_for_true(void **state) {
  (void)state;
  assert_true(apply(OP_AND, 1, 1) == 1 && apply(OP_AND, 1, 0) == 0 && apply(OP_AND, 3, -2) == 1);
  assert_true(apply(OP_OR, 0, 0) == 0 && apply(OP_OR, 0, 1) == 1 && apply(OP_OR, 0, 5) == 1);
  assert_true(apply(OP_NOT, 0, 0) == 1 && apply(OP_NOT, 1, 0) == 0 && apply(OP_NOT, -0.0, 0) == 1);
  assert_true(op_apply(OP_SELECT, 1, 2, 3) == 2 && op_apply(OP_SELECT, -0.0, 2, 3) == 3);
}

static void fused_operators_round_once(void **state) {
  (void)state;
  double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
  assert_true(op_apply(OP_FMA, a, b, -1) == -0x1p-60);
  assert_true(op_apply(OP_FMS, a, b, 1) == -0x1p-60);
  assert_true(op_apply(OP_FNMA, a, b, 1) == 0x1p-60);
  assert_true(op_apply(OP_FNMS, a, b, -1) == 0x1p-60);
}

static void functions_are_those_of_libm(void **state) {
  (void)state;
  assert_true(apply(OP_SIN, 1, 0) == sin(1.0) && apply(OP_POW, 2, 0.5) == pow(2.0, 0.5));
  assert_true(apply(OP_ATAN2, 1, 2) == atan2(1.0, 2.0) && apply(OP_LOG10, 7, 0) == log10(7.0));
  assert_close(apply(OP_SINCOS, 1, 0), sin(1.0), 1e-16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operator_has_its_row),
      cmocka_unit_test(minimum_and_maximum_give_the_second_operand_when_in_doubt),
      cmocka_unit_test(relations_give_one_or_zero_and_are_false_for_nan),
      cmocka_unit_test(logic_takes_everything_but_zero_for_true),
      cmocka_unit_test(fused_operators_round_once),
      cmocka_unit_test(functions_are_those_of_libm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
