#include "num/vec.h"

#include <stdlib.h>

#include "test.h"

static void column_sums_add_the_rows(void **state) {
  (void)state;
  for (int width = 1; width < 20; width++) {
    double q[200] = {0}, sums[32];
    int rows = 100 / width;
    for (int i = 0; i < rows * width; i++) q[i] = i;
    vec_kernels()->column_sums(q, rows, width, sums);
    for (int c = 0; c < width; c++)
      assert_close(sums[c], rows * c + width * rows * (rows - 1) / 2., 0);
  }
}

static void column_largest_keeps_nan(void **state) {
  (void)state;
  for (int width = 1; width < 9; width++)
    for (int at = 0; at < 6 * width; at++) {
      double q[80] = {0}, largest[16];
      q[at] = 3;
      vec_kernels()->column_largest(q, 6, width, largest);
      for (int c = 0; c < width; c++) assert_true(largest[c] == (c == at % width ? 3 : 0));
      q[at] = nan("");
      vec_kernels()->column_largest(q, 6, width, largest);
      assert_true(isnan(largest[at % width]));
    }
}

static void scaled_squares_take_the_larger_of_both_values(void **state) {
  (void)state;
  double e[8] = {1, -2, 3, 4, 5}, y0[8] = {1, -5, 0, 0, 3}, y1[8] = {-2, 3, 0, 1, 1};
  double abs_tol[8] = {1, 1, 1, 1, 1, 1, 1, 1}, q[8];
  vec_kernels()->scaled_squares(5, e, y0, y1, abs_tol, 0.5, q);
  double expected[5] = {1. / 2, -2 / 3.5, 3, 4 / 1.5, 5 / 2.5};
  for (int i = 0; i < 5; i++) assert_close(q[i], expected[i] * expected[i], 1e-15);
}

static void kernels_agree_bit_for_bit(void **state) {
  (void)state;
  const VecKernels *wide = vec_kernels();
  setenv("ENTRAIN_VECTOR", "off", 1);
  assert_false(vec_wide());
  const VecKernels *plain = vec_kernels();
  unsetenv("ENTRAIN_VECTOR");
  double in[4][40], out[2][40] = {{0}}, sums[2][16] = {{0}};
  for (int i = 0; i < 160; i++) in[i / 40][i % 40] = sin(1 + 3.7 * i);
  for (int i = 0; i < 40; i++) in[3][i] = 1e-3 + in[3][i] * in[3][i];
  wide->scaled_squares(33, in[0], in[1], in[2], in[3], 1e-2, out[0]);
  plain->scaled_squares(33, in[0], in[1], in[2], in[3], 1e-2, out[1]);
  assert_memory_equal(out[0], out[1], sizeof out[0]);
  wide->column_sums(out[0], 4, 7, sums[0]);
  plain->column_sums(out[1], 4, 7, sums[1]);
  assert_memory_equal(sums[0], sums[1], 7 * sizeof(double));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(column_sums_add_the_rows),
      cmocka_unit_test(column_largest_keeps_nan),
      cmocka_unit_test(scaled_squares_take_the_larger_of_both_values),
      cmocka_unit_test(kernels_agree_bit_for_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
