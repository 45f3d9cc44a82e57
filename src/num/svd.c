// Singular values A = U S V' by the one-sided Jacobi method (Hestenes 1958): pairs of columns of A are rotated until
// all are orthogonal; their lengths are then the singular values, and the product of the rotations is V. Small
// singular values come out accurate relative to themselves, whatever the scale of the columns (Demmel and Veselic
// 1992).
#include "num/svd.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/patience.h"

enum { SWEEPS_MOST = 60, WORK = 10 }; // WORK: of a number in a rotation, for patience

static void rotate_columns(int rows, int n, double *A, int p, int q, double c, double s) {
  for (int i = 0; i < rows; i++) {
    double x = A[i * n + p], y = A[i * n + q];
    A[i * n + p] = c * x - s * y;
    A[i * n + q] = s * x + c * y;
  }
}

static double column_largest(int rows, int n, const double *A, int p) {
  double most = 0;
  for (int i = 0; i < rows; i++) most = fmax(most, fabs(A[i * n + p]));
  return most;
}

// Makes columns p and q orthogonal; false when they are. Sizes of columns differ by any factor, so products are taken of
// columns of size 1.
static bool rotate_pair(int rows, int n, double *A, double *V, int p, int q) {
  double p_size = column_largest(rows, n, A, p), q_size = column_largest(rows, n, A, q);
  if (p_size == 0 || q_size == 0) return false;
  double pp = 0, qq = 0, pq = 0;
  for (int i = 0; i < rows; i++) {
    double x = A[i * n + p] / p_size, y = A[i * n + q] / q_size;
    pp += x * x;
    qq += y * y;
    pq += x * y;
  }
  if (fabs(pq) <= DBL_EPSILON * sqrt(pp * qq)) return false;
  double ratio = q_size / p_size; // tan(2 angle) = 2 pq / (qq ratio - pp / ratio)
  double zeta = (qq * ratio - pp / ratio) / (2 * pq);
  double tangent = isinf(zeta) ? 0 : copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
  double c = 1 / hypot(1, tangent), s = c * tangent;
  if (s == 0) return false;
  rotate_columns(rows, n, A, p, q, c, s);
  rotate_columns(n, n, V, p, q, c, s);
  return true;
}

static void swap_columns(int rows, int n, double *A, int p, int q) {
  for (int i = 0; i < rows; i++) {
    double x = A[i * n + p];
    A[i * n + p] = A[i * n + q];
    A[i * n + q] = x;
  }
}

// The length of column j, which is then made 1.
static double take_length(int rows, int n, double *A, int j) {
  double size = column_largest(rows, n, A, j), square = 0;
  if (size == 0) return 0;
  for (int i = 0; i < rows; i++) A[i * n + j] /= size;
  for (int i = 0; i < rows; i++) square += A[i * n + j] * A[i * n + j];
  double length = sqrt(square);
  for (int i = 0; i < rows; i++) A[i * n + j] /= length;
  return size * length;
}

static void sort_columns(int rows, int n, double *A, double *s, double *V) {
  for (int i = 0; i < n; i++) {
    int most = i;
    for (int j = i + 1; j < n; j++)
      if (s[j] > s[most]) most = j;
    if (most == i) continue;
    double x = s[i];
    s[i] = s[most];
    s[most] = x;
    swap_columns(rows, n, A, i, most);
    swap_columns(n, n, V, i, most);
  }
}

void svd(int rows, int n, double *A, double *s, double *V) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) V[i * n + j] = i == j;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < SWEEPS_MOST; sweep++) {
    rotated = false;
    for (int p = 0; p < n - 1 && patience_lasts(WORK * (long)rows * (n - p)); p++)
      for (int q = p + 1; q < n; q++) rotated |= rotate_pair(rows, n, A, V, p, q);
  }
  for (int j = 0; j < n; j++) s[j] = take_length(rows, n, A, j);
  sort_columns(rows, n, A, s, V);
}
