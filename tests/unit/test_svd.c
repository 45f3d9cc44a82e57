#include "num/svd.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "num/random.h"
#include "test.h"

static void assert_orthonormal_columns(const double *A, int rows, int n, double tol) {
  for (int p = 0; p < n; p++)
    for (int q = 0; q <= p; q++) {
      double sum = 0;
      for (int i = 0; i < rows; i++) sum += A[i * n + p] * A[i * n + q];
      assert_close(sum, p == q, tol);
    }
}

static void factors_multiply_to_the_matrix(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 1);
  for (int n = 1; n <= 30; n += n < 8 ? 1 : 11)
    for (int rows = n; rows <= n + 20; rows += 10) {
      Arena *a = arena_new();
      double *A = ARENA_ARRAY(a, double, rows *n), *U = ARENA_ARRAY(a, double, rows *n);
      double *s = ARENA_ARRAY(a, double, n), *V = ARENA_ARRAY(a, double, n *n);
      for (int i = 0; i < rows * n; i++) A[i] = U[i] = random_normal(&r);
      svd(rows, n, U, s, V);
      assert_orthonormal_columns(U, rows, n, 1e-13);
      assert_orthonormal_columns(V, n, n, 1e-13);
      for (int k = 1; k < n; k++) assert_true(s[k] <= s[k - 1]);
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
          double sum = 0;
          for (int k = 0; k < n; k++) sum += U[i * n + k] * s[k] * V[j * n + k];
          assert_close(sum, A[i * n + j], 1e-12);
        }
      arena_free(a);
    }
}

// Columns of very different sizes: with orthogonal columns the singular values are the sizes, each to full accuracy.
static void small_singular_values_keep_their_digits(void **state) {
  (void)state;
  const double size[4] = {1e150, 1, 1e-11, 1e-150};
  const double Q[16] = {.5, .5, .5, .5, .5, -.5, .5, -.5, .5, .5, -.5, -.5, .5, -.5, -.5, .5};
  double A[16], s[4], V[16];
  for (int i = 0; i < 16; i++) A[i] = Q[i] * size[i % 4];
  svd(4, 4, A, s, V);
  for (int k = 0; k < 4; k++) assert_close_relative(s[k], size[k], 1e-14);
}

// [[1, 1], [1, 1 + d]]: the product of the singular values is the determinant d.
static void nearly_dependent_scaled_columns_are_told_apart(void **state) {
  (void)state;
  for (double d = 1; d > 1e-8; d /= 8) {
    double A[4] = {1, 1e-20, 1, 1e-20 * (1 + d)}, s[2], V[4];
    svd(2, 2, A, s, V);
    double exact = 1e-20 * ((1 + d) - 1);
    assert_close_relative(s[0] * s[1], exact, 1e-15 / d + 1e-14);
  }
}

static void dependent_columns_give_zero_and_the_direction(void **state) {
  (void)state;
  double A[9] = {1, 2, 0, 0, 0, 0, 3, 6, 0}, s[3], V[9];
  svd(3, 3, A, s, V);
  assert_close(s[0], sqrt(50), 1e-14);
  assert_close(s[1], 0, 1e-15);
  assert_true(s[2] == 0);
  double Z[4] = {0}, z[2], W[4];
  svd(2, 2, Z, z, W);
  assert_true(z[0] == 0 && z[1] == 0);
  assert_orthonormal_columns(W, 2, 2, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_multiply_to_the_matrix),
      cmocka_unit_test(small_singular_values_keep_their_digits),
      cmocka_unit_test(nearly_dependent_scaled_columns_are_told_apart),
      cmocka_unit_test(dependent_columns_give_zero_and_the_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
