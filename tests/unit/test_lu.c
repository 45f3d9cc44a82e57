#include "num/lu.h"

#include <stdlib.h>
#include <string.h>

#include "num/vec.h"
#include "test.h"

enum { MOST = 100 };

static unsigned long long seed = 1;
static double random_number(void) { // in [-1, 1)
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static double *random_matrix(Arena *a, int rows, int columns) {
  double *m = ARENA_ARRAY(a, double, vec_padded(rows * columns));
  for (int i = 0; i < rows * columns; i++) m[i] = random_number();
  return m;
}

static void assert_solves(const double *A, int n, const double *x, int stride, const double *b,
                          double tol) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * x[j * stride];
    assert_close(sum, b[i * stride], tol);
  }
}

static void solution_times_matrix_is_the_right_hand_side(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; n = n < 20 ? n + 1 : n + 20) {
    Arena *a = arena_new();
    double *A = random_matrix(a, n, n), *b = random_matrix(a, n, 1), *x = random_matrix(a, n, 1);
    Lu *lu = lu_new(a, n);
    assert_true(lu_factor(lu, A));
    lu_solve(lu, b, x);
    assert_solves(A, n, x, 1, b, 1e-8);
    arena_free(a);
  }
}

static void pivoting_finds_its_way_round_a_zero_diagonal(void **state) {
  (void)state;
  Arena *a = arena_new();
  double A[9] = {0, 2, 0, 0, 0, 3, 4, 0, 0}, b[3] = {2, 6, 12}, x[3];
  Lu *lu = lu_new(a, 3);
  assert_true(lu_factor(lu, A));
  lu_solve(lu, b, x);
  assert_close(x[0], 3, 0);
  assert_close(x[1], 1, 0);
  assert_close(x[2], 2, 0);
  arena_free(a);
}

static void tiny_pivots_do_not_spoil_the_solution(void **state) {
  (void)state;
  Arena *a = arena_new();
  double A[4] = {1e-20, 1, 1, 1}, b[2] = {1, 2}, x[2];
  Lu *lu = lu_new(a, 2);
  assert_true(lu_factor(lu, A));
  lu_solve(lu, b, x);
  assert_close(x[0], 1, 1e-15);
  assert_close(x[1], 1, 1e-15);
  arena_free(a);
}

static void singular_and_not_finite_matrices_are_refused(void **state) {
  (void)state;
  Arena *a = arena_new();
  Lu *lu = lu_new(a, 2);
  assert_false(lu_factor(lu, (double[]){1, 2, 2, 4}));
  assert_false(lu_factor(lu, (double[]){0, 0, 0, 0}));
  assert_false(lu_factor(lu, (double[]){1, (double)NAN, 0, 1}));
  assert_false(lu_factor(lu, (double[]){1, 0, HUGE_VAL, 1}));
  assert_true(lu_factor(lu, (double[]){1, 0, 0, 1}));
  arena_free(a);
}

static void each_column_of_a_block_is_solved_as_if_alone(void **state) {
  (void)state;
  for (int columns = 1; columns <= 37; columns++) {
    Arena *a = arena_new();
    int n = 7, stride = columns + columns % 3;
    double *A = random_matrix(a, n, n), *B = random_matrix(a, n, stride);
    double *X = random_matrix(a, n, stride), b[7], x[7];
    for (int i = 0; i < n * stride; i++) X[i] = 5;
    Lu *lu = lu_new(a, n);
    assert_true(lu_factor(lu, A));
    lu_solve_block(lu, B, columns, stride, X);
    for (int c = 0; c < stride; c++) {
      for (int i = 0; i < n; i++) b[i] = B[i * stride + c];
      lu_solve(lu, b, x);
      for (int i = 0; i < n; i++) assert_close(X[i * stride + c], c < columns ? x[i] : 5, 0);
    }
    arena_free(a);
  }
}

// A random pattern with about `per_row` entries a row, not always with the diagonal.
static Pattern random_pattern(Arena *a, int n, double per_row) {
  int *start = ARENA_ARRAY(a, int, n + 1), *column = ARENA_ARRAY(a, int, n *n), count = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if ((random_number() + 1) / 2 * n < per_row) column[count++] = j;
    start[i + 1] = count;
  }
  return (Pattern){n, n, start, column};
}

static double *as_dense(Arena *a, const Pattern *p, const double *values, double scale,
                        double shift) {
  int n = p->rows;
  double *A = ARENA_ARRAY(a, double, n *n);
  for (int i = 0; i < n; i++) {
    for (int e = p->start[i]; e < p->start[i + 1]; e++) A[i * n + p->column[e]] = scale * values[e];
    A[i * n + i] += shift;
  }
  return A;
}

static void sparse_and_dense_factors_solve_the_same_system(void **state) {
  (void)state;
  for (int n = 1; n <= 80; n = n < 12 ? n + 1 : n + 17) {
    for (double shift = 0.1; shift < 100; shift *= 10) { // small: pivots off the diagonal
      Arena *a = arena_new();
      Pattern p = random_pattern(a, n, 3);
      double *values = random_matrix(a, n, n), *A = as_dense(a, &p, values, -1, shift);
      double *B = random_matrix(a, n, 5), *X = random_matrix(a, n, 5);
      Lu *lu = lu_new_sparse(a, &p);
      assert_true(lu_factor_sparse(lu, values, -1, shift));
      lu_solve_block(lu, B, 5, 5, X);
      for (int c = 0; c < 5; c++) assert_solves(A, n, X + c, 5, B + c, 1e-9);
      arena_free(a);
    }
  }
}

static void factors_of_an_arrow_stay_sparse(void **state) {
  (void)state;
  Arena *a = arena_new();
  int n = 50, start[51] = {0}, column[150], count = 0;
  for (int i = 0; i < n;
       i++) { // an arrow: the first row and column are full; in natural order all would fill
    if (i == 0)
      for (int j = 0; j < n; j++) column[count++] = j;
    else
      column[count++] = 0, column[count++] = i;
    start[i + 1] = count;
  }
  Pattern p = {n, n, start, column};
  Lu *lu = lu_new_sparse(a, &p);
  double values[150], b[50], x[50];
  for (int i = 0; i < count; i++) values[i] = 1;
  for (int i = 0; i < n; i++) b[i] = i;
  assert_true(lu_factor_sparse(lu, values, 1, 100));
  assert_int_equal(lu_count(lu), count);
  lu_solve(lu, b, x);
  double *A = as_dense(a, &p, values, 1, 100);
  assert_solves(A, n, x, 1, b, 1e-12);
  arena_free(a);
}

static void a_poor_pivot_on_the_diagonal_is_avoided(void **state) {
  (void)state;
  Arena *a = arena_new();
  // sparse enough for the diagonal to be tried, which holds 1e-20
  Pattern p = {4, 4, (const int[]){0, 2, 4, 5, 6}, (const int[]){0, 1, 0, 1, 2, 3}};
  double values[6] = {1e-20, 1, 1, 1, 1, 1}, b[4] = {1, 2, 3, 4}, x[4];
  Lu *lu = lu_new_sparse(a, &p);
  assert_true(lu_factor_sparse(lu, values, 1, 0));
  lu_solve(lu, b, x);
  assert_close(x[0], 1, 1e-14);
  assert_close(x[1], 1, 1e-14);
  assert_close(x[3], 4, 0);
  values[0] = values[2] = 0; // singular now
  assert_false(lu_factor_sparse(lu, values, 1, 0));
  values[0] = (double)NAN;
  assert_false(lu_factor_sparse(lu, values, 1, 0));
  values[0] = 1; // and well again
  assert_true(lu_factor_sparse(lu, values, 1, 0));
  lu_solve(lu, b, x);
  assert_close(x[0] + x[1], 1, 1e-15);
  arena_free(a);
}

static void plain_and_wide_kernels_agree_bit_for_bit(void **state) {
  (void)state;
  Arena *a = arena_new();
  int n = 13, columns = 23;
  double *A = random_matrix(a, n, n), *B = random_matrix(a, n, columns);
  double *X[2] = {random_matrix(a, n, columns), random_matrix(a, n, columns)};
  for (int plain = 0; plain < 2; plain++) {
    if (plain) setenv("ENTRAIN_VECTOR", "off", 1);
    Lu *lu = lu_new(a, n);
    assert_true(lu_factor(lu, A));
    lu_solve_block(lu, B, columns, columns, X[plain]);
    unsetenv("ENTRAIN_VECTOR");
  }
  assert_memory_equal(X[0], X[1], (size_t)(n * columns) * sizeof(double));
  arena_free(a);
}

// Unknowns in other units: the factors stay sparse, and solve what they solve without.
static void units_do_not_matter(void **state) {
  (void)state;
  enum { N = 30 };
  Arena *a = arena_new();
  int start[N + 1], column[3 * N], count = 0;
  double values[3 * N], scaled[3 * N], x[N + 4], b[N], unit[N], by[N];
  for (int i = 0; i < N; i++) {
    start[i] = count;
    unit[i] = pow(10, 6 * random_number()), by[i] = 1 / unit[i];
    b[i] = random_number();
    int other[] = {(i + 1) % N, (i * i + 3) % N};
    column[count] = i, values[count++] = -2;
    for (int k = 0; k < 2; k++)
      if (other[k] != i && (k == 0 || other[1] != other[0]))
        column[count] = other[k], values[count++] = random_number();
  }
  start[N] = count;
  for (int i = 0; i < N; i++) // sorted columns
    for (int e = start[i]; e < start[i + 1]; e++)
      for (int f = e + 1; f < start[i + 1]; f++)
        if (column[f] < column[e]) {
          int c = column[e];
          double v = values[e];
          column[e] = column[f], values[e] = values[f], column[f] = c, values[f] = v;
        }
  for (int i = 0; i < N; i++)
    for (int e = start[i]; e < start[i + 1]; e++) scaled[e] = values[e] * by[i] * unit[column[e]];
  Pattern p = {N, N, start, column};
  Lu *plain = lu_new_sparse(a, &p), *other = lu_new_sparse(a, &p);
  assert_true(lu_factor_sparse(plain, values, 1, 0) && lu_factor_sparse(other, scaled, 1, 0));
  assert_true(lu_count(plain) < N * N / 2);
  assert_int_equal(lu_count(other), lu_count(plain));
  double y[N + 4], c[N];
  for (int i = 0; i < N; i++) c[i] = b[i] * by[i];
  lu_solve(plain, b, x);
  lu_solve(other, c, y);
  for (int i = 0; i < N; i++) assert_close(y[i] * unit[i], x[i], 1e-9);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solution_times_matrix_is_the_right_hand_side),
      cmocka_unit_test(pivoting_finds_its_way_round_a_zero_diagonal),
      cmocka_unit_test(tiny_pivots_do_not_spoil_the_solution),
      cmocka_unit_test(singular_and_not_finite_matrices_are_refused),
      cmocka_unit_test(each_column_of_a_block_is_solved_as_if_alone),
      cmocka_unit_test(sparse_and_dense_factors_solve_the_same_system),
      cmocka_unit_test(factors_of_an_arrow_stay_sparse),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(a_poor_pivot_on_the_diagonal_is_avoided),
      cmocka_unit_test(plain_and_wide_kernels_agree_bit_for_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
