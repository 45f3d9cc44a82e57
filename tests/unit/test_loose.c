#include "code/loose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "code/blocks.h"
#include "test.h"

enum { MOST = 9 };

static double noise(unsigned *seed) { // in [-1, 1)
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

// A product of n by rank and rank by n matrices, rows of very different sizes.
static void make_matrix(unsigned *seed, int n, int rank, double *a) {
  double left[MOST * MOST], right[MOST * MOST];
  for (int i = 0; i < n * rank; i++) left[i] = noise(seed), right[i] = noise(seed);
  for (int i = 0; i < n; i++) {
    double size = pow(10, 4 * noise(seed));
    for (int j = 0; j < n; j++) {
      a[i * n + j] = 0;
      for (int k = 0; k < rank; k++) a[i * n + j] += size * left[i * rank + k] * right[k * n + j];
    }
  }
}

static double entry(const double *a, int n, bool transposed, int i, int j) {
  return transposed ? a[j * n + i] : a[i * n + j];
}

static void times(const double *a, int n, bool transposed, const double *x, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int j = 0; j < n; j++) b[i] += entry(a, n, transposed, i, j) * x[j];
  }
}

// Lanes side by side must not disturb each other.
static void solve(const double *a, int n, bool transposed, double *b) {
  enum { LANES = 3 };
  double matrix[MOST * MOST * LANES], right[MOST * LANES], *pivots;
  pivots = malloc((size_t)loose_pivots(n) * LANES * sizeof *pivots);
  for (int i = 0; i < n * n * LANES; i++) matrix[i] = nan("");
  for (int i = 0; i < n * n; i++) matrix[i * LANES + 1] = a[i];
  for (int i = 0; i < n; i++) right[i * LANES + 1] = b[i];
  loose_factor(matrix + 1, pivots + 1, n, LANES);
  (transposed ? loose_solve_transposed : loose_solve)(matrix + 1, pivots + 1, n, LANES, right + 1);
  for (int i = 0; i < n; i++) b[i] = right[i * LANES + 1];
  free(pivots);
}

static void what_can_be_solved_is(void **state) {
  (void)state;
  unsigned seed = 3;
  for (int trial = 0; trial < 400; trial++) {
    int n = 1 + trial % MOST, rank = 1 + trial / MOST % n;
    bool transposed = trial % 2;
    double a[MOST * MOST], x[MOST], b[MOST], again[MOST];
    make_matrix(&seed, n, rank, a);
    for (int i = 0; i < n; i++) x[i] = noise(&seed);
    times(a, n, transposed, x, b);
    memcpy(x, b, sizeof x);
    solve(a, n, transposed, x);
    times(a, n, transposed, x, again);
    for (int i = 0; i < n; i++) {
      double size = 0;
      for (int j = 0; j < n; j++) size += fabs(entry(a, n, transposed, i, j)) * (1 + fabs(x[j]));
      assert_close(again[i] / size, b[i] / size, 1e-9);
    }
  }
}

static void regular_systems_have_their_solution(void **state) {
  (void)state;
  unsigned seed = 5;
  for (int trial = 0; trial < 100; trial++) {
    int n = 1 + trial % MOST;
    double a[MOST * MOST], lu[MOST * MOST], pivots[MOST], x[MOST], y[MOST];
    for (int i = 0; i < n * n; i++) a[i] = lu[i] = noise(&seed);
    for (int i = 0; i < n; i++) x[i] = y[i] = noise(&seed);
    solve(a, n, false, x);
    linear_factor(lu, pivots, n);
    linear_solve(lu, pivots, n, y);
    for (int i = 0; i < n; i++)
      assert_close(x[i] / (1 + fabs(y[i])), y[i] / (1 + fabs(y[i])), 1e-9);
  }
}

static void contradictions_have_no_solution(void **state) {
  (void)state;
  for (int transposed = 0; transposed < 2; transposed++) {
    double a[] = {1, 2, 2, 4}, b[] = {1, 3};
    solve(a, 2, transposed, b);
    assert_true(isnan(b[0]) && isnan(b[1]));
    double of_nothing[] = {nan(""), 0, 0, 1}, c[] = {1, 1};
    solve(of_nothing, 2, transposed, c);
    assert_true(isnan(c[0]) && isnan(c[1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_can_be_solved_is),
      cmocka_unit_test(regular_systems_have_their_solution),
      cmocka_unit_test(contradictions_have_no_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
