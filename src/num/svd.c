// Singular values A = U S V' by the one-sided Jacobi method (Hestenes 1958): pairs of columns of A are rotated until
// all are orthogonal; their lengths are then the singular values, and the product of the rotations is V. Small
// singular values come out accurate relative to themselves, whatever the scale of the columns (Demmel and Veselic
// 1992).
//
// svd_right first factors A P = Q R with column pivoting and rotates the rows of R, whose directions then are the right
// singular vectors: nothing else is to be rotated, and few sweeps suffice, as the rows of R are nearly orthogonal already
// (Drmac and Veselic 2008, SIAM J. Matrix Anal. Appl. 29:1322).
#include "num/svd.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/patience.h"
#include "num/pivot_qr.h"
#include "num/vec.h"

#define VEC_KERNELS "num/svd_kernels.inc"
#include "num/vec_twice.inc"

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

// ---------------------------------------------------------------- right vectors alone

typedef struct RotatedRows { // of R, each filled up with zeros
  int n, stride;
  double *at;     // [row][stride]
  double *square; // by row: its squared length
  int *column;    // by position in a row: column of A
  double (*dot)(int n, const double *x, const double *y);
  void (*rotate)(int n, double *x, double *y, double c, double s);
} RotatedRows;

static double *row_at(const RotatedRows *r, int k) {
  return r->at + (size_t)k * (size_t)r->stride;
}

static double largest_of(const double *A, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fabs(A[i]) > most ? fabs(A[i]) : most;
  return most;
}

static RotatedRows rows_of_triangle(Arena *a, int rows, int n, const double *A, double unit) {
  PivotQr *q = pivot_qr_new(a, rows, n);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < rows; i++)
      q->A[(size_t)k * (size_t)rows + (size_t)i] = A[(size_t)i * (size_t)n + (size_t)k] / unit;
  pivot_qr_factor(q);
  RotatedRows r = {.n = n, .stride = vec_padded(n), .column = q->pivot};
  r.at = ARENA_ARRAY(a, double, (size_t)n *(size_t)r.stride + 1);
  r.square = ARENA_ARRAY(a, double, n + 1);
  r.dot = vec_wide() ? VEC_BEST(dot) : dot_plain;
  r.rotate = vec_wide() ? VEC_BEST(rotate) : rotate_plain;
  for (int i = 0; i < n; i++) {
    row_at(&r, i)[i] = q->diag[i];
    for (int j = i + 1; j < n; j++) row_at(&r, i)[j] = q->A[(size_t)j * (size_t)rows + (size_t)i];
  }
  return r;
}

// Squares are kept as long as they lose few digits.
static bool rotate_rows(RotatedRows *r, int p, int q) {
  double *x = row_at(r, p), *y = row_at(r, q), pp = r->square[p], qq = r->square[q];
  double pq = r->dot(r->stride, x, y);
  if (!(fabs(pq) > DBL_EPSILON * sqrt((double)r->n) * sqrt(pp) * sqrt(qq))) return false;
  double zeta = (qq - pp) / (2 * pq);
  double tangent = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
  double c = 1 / hypot(1, tangent), s = c * tangent;
  if (s == 0) return false;
  r->rotate(r->stride, x, y, c, s);
  r->square[p] = pp - tangent * pq, r->square[q] = qq + tangent * pq;
  if (!(r->square[p] > 0.1 * pp)) r->square[p] = r->dot(r->stride, x, x);
  if (!(r->square[q] > 0.1 * qq)) r->square[q] = r->dot(r->stride, y, y);
  return true;
}

static void make_orthogonal(RotatedRows *r) {
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < SWEEPS_MOST; sweep++) {
    rotated = false;
    for (int k = 0; k < r->n; k++) r->square[k] = r->dot(r->stride, row_at(r, k), row_at(r, k));
    for (int p = 0; p < r->n - 1 && patience_lasts((long)r->stride * (r->n - p)); p++)
      for (int q = p + 1; q < r->n; q++) rotated |= rotate_rows(r, p, q);
  }
}

// A unit vector orthogonal to the columns of V before column k: of the axes the one that they contain least of.
static void complete_column(double *V, int n, int k, double *axis) {
  double least = 2;
  int best = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < k; j++) sum += V[i * n + j] * V[i * n + j];
    if (sum < least) least = sum, best = i;
  }
  memset(axis, 0, (size_t)n * sizeof *axis);
  axis[best] = 1;
  for (int twice = 0; twice < 2; twice++)
    for (int j = 0; j < k; j++) {
      double product = 0;
      for (int i = 0; i < n; i++) product += V[i * n + j] * axis[i];
      for (int i = 0; i < n; i++) axis[i] -= product * V[i * n + j];
    }
  double square = 0;
  for (int i = 0; i < n; i++) square += axis[i] * axis[i];
  for (int i = 0; i < n; i++) V[i * n + k] = axis[i] / sqrt(square);
}

void svd_right(int rows, int n, const double *A, double *s, double *V) {
  Arena *a = arena_new();
  double unit = largest_of(A, (size_t)rows * (size_t)n);
  RotatedRows r = rows_of_triangle(a, rows, n, A, unit > 0 ? unit : 1);
  make_orthogonal(&r);
  int *order = ARENA_ARRAY(a, int, n + 1);
  for (int k = 0; k < n; k++) { // falling
    int at = k;
    r.square[k] = r.dot(r.stride, row_at(&r, k), row_at(&r, k));
    for (; at > 0 && r.square[order[at - 1]] < r.square[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  double *axis = ARENA_ARRAY(a, double, n + 1);
  for (int k = 0; k < n; k++) {
    const double *row = row_at(&r, order[k]);
    s[k] = unit * sqrt(r.square[order[k]]);
    for (int i = 0; i < n && s[k] > 0; i++)
      V[r.column[i] * n + k] = row[i] / sqrt(r.square[order[k]]);
    if (!(s[k] > 0) && patience_lasts(4L * n * k)) complete_column(V, n, k, axis);
  }
  arena_free(a);
}
