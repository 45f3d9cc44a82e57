#include "code/loose.h"

#include <math.h>
#include <stdbool.h>

static const double NOTHING = 1e-14; // of the rows: a pivot that small is a rounding error
static const double CONTRADICTION =
    1e-9; // of the right side: more than this left over, and there is no solution

#define A(i, j) a[(size_t)((i)*n + (j)) * step]
#define B(i) b[(size_t)(i)*step]
#define ROW(k) pivots[(size_t)(k)*step]
#define COLUMN(k) pivots[(size_t)(n + (k)) * step]
#define SCALE(i) pivots[(size_t)(2 * n + (i)) * step]
#define RANK pivots[(size_t)(3 * n) * step]

int loose_pivots(int n) {
  return 3 * n + 1;
}

static void swap(double *x, double *y) {
  double t = *x;
  *x = *y;
  *y = t;
}

static bool scale_rows(double *a, double *pivots, int n, size_t step) {
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) {
      if (!isfinite(A(i, j))) return false;
      if (fabs(A(i, j)) > most) most = fabs(A(i, j));
    }
    SCALE(i) = most > 0 ? 1 / most : 1;
    for (int j = 0; j < n; j++) A(i, j) *= SCALE(i);
  }
  return true;
}

static double find_pivot(const double *a, int n, size_t step, int k, int *row, int *column) {
  double most = -1;
  for (int i = k; i < n; i++)
    for (int j = k; j < n; j++)
      if (fabs(A(i, j)) > most) most = fabs(A(i, j)), *row = i, *column = j;
  return most;
}

void loose_factor(double *a, double *pivots, int n, size_t step) {
  RANK = -1;
  if (!scale_rows(a, pivots, n, step)) return;
  for (int k = 0; k < n; k++) ROW(k) = COLUMN(k) = k;
  int k = 0;
  for (; k < n; k++) {
    int row = k, column = k;
    if (find_pivot(a, n, step, k, &row, &column) <= NOTHING) break;
    ROW(k) = row, COLUMN(k) = column;
    for (int j = 0; j < n && row != k; j++) swap(&A(k, j), &A(row, j));
    for (int i = 0; i < n && column != k; i++) swap(&A(i, k), &A(i, column));
    for (int i = k + 1; i < n; i++) {
      double m = A(i, k) /= A(k, k);
      for (int j = k + 1; j < n && m != 0; j++) A(i, j) -= m * A(k, j);
    }
  }
  RANK = k;
}

static double size_of(const double *b, int n, size_t step) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(B(i)) <= most)) most = fabs(B(i));
  return most;
}

// Beyond the rank nothing may be left; unknowns there are 0.
static bool drop_rest(double *b, int n, size_t step, int rank, double size) {
  for (int i = rank; i < n; i++) {
    if (!(fabs(B(i)) <= CONTRADICTION * size)) return false;
    B(i) = 0;
  }
  return true;
}

static void no_solution(double *b, int n, size_t step) {
  for (int i = 0; i < n; i++) B(i) = nan("");
}

void loose_solve(const double *a, const double *pivots, int n, size_t step, double *b) {
  int rank = (int)RANK;
  for (int i = 0; i < n && rank >= 0; i++) B(i) *= SCALE(i);
  double size = size_of(b, n, step);
  for (int k = 0; k < rank; k++) swap(&B(k), &B((int)ROW(k)));
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i && j < rank; j++) B(i) -= A(i, j) * B(j);
  if (rank < 0 || !drop_rest(b, n, step, rank, size)) {
    no_solution(b, n, step);
    return;
  }
  for (int i = rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < rank; j++) B(i) -= A(i, j) * B(j);
    B(i) /= A(i, i);
  }
  for (int k = rank - 1; k >= 0; k--) swap(&B(k), &B((int)COLUMN(k)));
}

void loose_solve_transposed(const double *a, const double *pivots, int n, size_t step, double *b) {
  int rank = (int)RANK;
  double size = size_of(b, n, step);
  for (int k = 0; k < rank; k++) swap(&B(k), &B((int)COLUMN(k)));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i && j < rank; j++) B(i) -= A(j, i) * B(j);
    if (i < rank) B(i) /= A(i, i);
  }
  if (rank < 0 || !drop_rest(b, n, step, rank, size)) {
    no_solution(b, n, step);
    return;
  }
  for (int i = rank - 2; i >= 0; i--)
    for (int j = i + 1; j < rank; j++) B(i) -= A(j, i) * B(j);
  for (int k = rank - 1; k >= 0; k--) swap(&B(k), &B((int)ROW(k)));
  for (int i = 0; i < n; i++) B(i) *= SCALE(i);
}
