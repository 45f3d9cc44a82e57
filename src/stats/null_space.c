// Null space of the chosen columns of a triangle, by singular values of the columns made of length 1; reduced row
// echelon form with the largest pivots (Gauss-Jordan).
#include "stats/null_space.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "num/svd.h"

// The chosen columns with unit length.
static double *unit_columns(Arena *a, const double *R, int n, const int *column, int count,
                            double *length) {
  double *A = ARENA_ARRAY(a, double, n *count + 1);
  for (int k = 0; k < count; k++) {
    double square = 0;
    for (int i = 0; i < n; i++) square += R[i * n + column[k]] * R[i * n + column[k]];
    length[k] = sqrt(square);
    for (int i = 0; i < n; i++) A[i * count + k] = R[i * n + column[k]] / length[k];
  }
  return A;
}

static NullSpace take(Arena *a, const double *s, const double *V, const double *length, int count,
                      int directions) {
  NullSpace out = {.count = directions, .gap = 1};
  int seen = count - directions;
  out.basis = ARENA_ARRAY(a, double, directions *count + 1);
  out.share = ARENA_ARRAY(a, double, directions *count + 1);
  for (int d = 0; d < directions; d++)
    for (int k = 0; k < count; k++) {
      out.share[d * count + k] = V[k * count + seen + d];
      out.basis[d * count + k] = V[k * count + seen + d] / length[k];
    }
  if (directions > 0) out.largest = s[seen];
  if (seen > 0) out.gap = s[seen - 1];
  return out;
}

static NullSpace find(Arena *a, const double *R, int n, const int *column, int count,
                      double tolerance, int most) {
  double *length = ARENA_ARRAY(a, double, count + 1), *s = ARENA_ARRAY(a, double, count + 1);
  double *V = ARENA_ARRAY(a, double, count *count + 1);
  svd_right(n, count, unit_columns(a, R, n, column, count, length), s, V);
  int directions = 0;
  while (directions < count && directions < most && s[count - 1 - directions] <= tolerance)
    directions++;
  return take(a, s, V, length, count, directions);
}

NullSpace null_space(Arena *a, const double *R, int n, const int *column, int count,
                     double tolerance, int most) {
  return find(a, R, n, column, count, tolerance, most);
}

NullSpace null_space_of(Arena *a, const double *R, int n, const int *column, int count,
                        int directions) {
  return find(a, R, n, column, count, HUGE_VAL, directions);
}

// Makes column c the unit vector of row r.
static void eliminate(double *B, int rows, int columns, int r, int c) {
  double inverse = 1 / B[r * columns + c];
  for (int k = 0; k < columns; k++) B[r * columns + k] *= inverse;
  B[r * columns + c] = 1;
  for (int i = 0; i < rows; i++) {
    double factor = B[i * columns + c];
    if (i == r || factor == 0) continue;
    for (int k = 0; k < columns; k++) B[i * columns + k] -= factor * B[r * columns + k];
    B[i * columns + c] = 0;
  }
}

static void swap_rows(double *B, int columns, int i, int j) {
  for (int k = 0; i != j && k < columns; k++) {
    double x = B[i * columns + k];
    B[i * columns + k] = B[j * columns + k];
    B[j * columns + k] = x;
  }
}

void reduce_rows(double *B, int rows, int columns, double threshold, int *pivot) {
  for (int r = 0; r < rows && patience_lasts(2L * rows * columns); r++) {
    int row = r, column = 0;
    double most = -1;
    for (int i = r; i < rows; i++)
      for (int k = 0; k < columns; k++)
        if (fabs(B[i * columns + k]) > most * (1 + 1e-9)) { // the first of equals
          most = fabs(B[i * columns + k]);
          row = i, column = k;
        }
    swap_rows(B, columns, r, row);
    eliminate(B, rows, columns, r, column);
    pivot[r] = column;
  }
  for (int i = 0; i < rows * columns; i++)
    if (fabs(B[i]) < threshold) B[i] = 0;
}

bool echelon_by(const double *B, int rows, int columns, const int *pivot, double *E) {
  memcpy(E, B, (size_t)rows * (size_t)columns * sizeof *E);
  for (int r = 0; r < rows; r++) {
    int row = r;
    double scale = 0;
    if (!patience_lasts((long)rows * columns)) return false;
    for (int i = r; i < rows; i++)
      if (fabs(E[i * columns + pivot[r]]) > fabs(E[row * columns + pivot[r]])) row = i;
    for (int k = 0; k < columns; k++) scale = fmax(scale, fabs(E[row * columns + k]));
    if (!(fabs(E[row * columns + pivot[r]]) > 1e-6 * scale)) return false;
    swap_rows(E, columns, r, row);
    eliminate(E, rows, columns, r, pivot[r]);
  }
  return true;
}
