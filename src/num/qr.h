// Least squares by rows that come in blocks: only the small triangle R of [J | r] = Q R is kept, never the tall matrix.
#pragma once
#include "base/arena.h"

// R is (n+1) x (n+1), upper triangular, by rows: R[i*(n+1) + j]. Column n belongs to the residuals: its first n numbers
// are z = Q'r, |R[n*(n+1) + n]| is the norm of what no step can remove. |r|^2 = |z|^2 + R[n][n]^2.
typedef struct QrSum {
  int n;
  double *R;
  // Of a block with many columns of zeros; NULL where there are too few columns for it.
  struct QrSum *part;
  double **part_column;
  int *present;
} QrSum;

QrSum *qr_sum_new(Arena *a, int n);
void qr_sum_clear(QrSum *s);
// Adds rows: column[0..n-1] are the columns of J, column[n] is r. Destroys what they hold. Does not allocate. When patience
// is over, rows are missing.
void qr_sum_add(QrSum *s, double *const *column, int rows);
