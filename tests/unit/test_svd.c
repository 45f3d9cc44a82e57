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

// ---------------------------------------------------------------- right vectors alone

// A V has orthogonal columns of the lengths s, and V is orthonormal: that is what singular values are.
static void assert_right(int rows, int n, const double *A, double tol) {
  Arena *a = arena_new();
  double *s = ARENA_ARRAY(a, double, n), *V = ARENA_ARRAY(a, double, n *n);
  double *B = ARENA_ARRAY(a, double, rows *n);
  svd_right(rows, n, A, s, V);
  assert_orthonormal_columns(V, n, n, tol);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) B[i * n + k] += A[i * n + j] * V[j * n + k];
  for (int p = 0; p < n; p++) {
    assert_true(p == 0 || s[p] <= s[p - 1]);
    for (int q = 0; q <= p; q++) {
      double sum = 0;
      for (int i = 0; i < rows; i++) sum += B[i * n + p] * B[i * n + q];
      assert_close(sum, p == q ? s[p] * s[p] : 0, tol * s[0] * s[0]);
    }
  }
  arena_free(a);
}

static void right_vectors_make_the_columns_orthogonal(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 2);
  for (int n = 1; n <= 70; n += n < 9 ? 1 : 20)
    for (int rows = n; rows <= n + 20; rows += 10) {
      double *A = malloc((size_t)rows * (size_t)n * sizeof *A);
      for (int i = 0; i < rows * n; i++) A[i] = random_normal(&r);
      assert_right(rows, n, A, 1e-12);
      for (int i = 0; i < rows * n; i++) A[i] *= pow(10, -0.3 * (i % n)); // graded columns
      assert_right(rows, n, A, 1e-12);
      for (int i = 0; i < rows * n; i++) // two equal columns, the last one zero
        A[i] = i % n == n - 1 ? 0 : i % n == 1 ? A[i - 1] : A[i];
      assert_right(rows, n, A, 1e-12);
      free(A);
    }
  double zero[9] = {0};
  assert_right(3, 3, zero, 0);
}

// Both ways agree to the digits that singular values have, small ones, too.
static void right_singular_values_keep_their_digits(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 3);
  for (int trial = 0; trial < 20; trial++) {
    enum { N = 12 };
    double A[N * N], B[N * N], s[N], t[N], V[N * N];
    for (int i = 0; i < N * N; i++)
      A[i] = B[i] = random_normal(&r) * pow(10, -(double)((i % N) * (5 + trial % 7) % 13));
    svd(N, N, A, s, V);
    svd_right(N, N, B, t, V);
    for (int k = 0; k < N; k++) assert_close_relative(t[k], s[k], 1e-11);
  }
  for (double d = 1; d > 1e-8; d /= 8) { // nearly dependent columns: the product is the determinant
    double A[4] = {1, 1e-20, 1, 1e-20 * (1 + d)}, s[2], V[4];
    svd_right(2, 2, A, s, V);
    assert_close_relative(s[0] * s[1], 1e-20 * ((1 + d) - 1), 1e-15 / d + 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_multiply_to_the_matrix),
      cmocka_unit_test(small_singular_values_keep_their_digits),
      cmocka_unit_test(nearly_dependent_scaled_columns_are_told_apart),
      cmocka_unit_test(dependent_columns_give_zero_and_the_direction),
      cmocka_unit_test(right_vectors_make_the_columns_orthogonal),
      cmocka_unit_test(right_singular_values_keep_their_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
