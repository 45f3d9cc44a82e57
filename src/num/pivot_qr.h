// QR with column pivoting of a tall matrix that is kept, so that other right-hand sides can follow: A P = Q R, with
// |R[k][k]| falling along the diagonal: where it falls below a limit, the rank ends.
#pragma once
#include "base/arena.h"

typedef struct PivotQr {
  int rows, n;  // rows >= n
  double *A;    // by columns; put the matrix here, it becomes the reflections and R
  double *diag; // of R
  int *pivot;   // column k of A P is column pivot[k] of A
} PivotQr;

PivotQr *pivot_qr_new(Arena *a, int rows, int n);
// Does not allocate; neither do the others. When patience is over, it is not complete.
void pivot_qr_factor(PivotQr *q);
// v[rows] becomes Q'v: its first n numbers belong to R, the others are what no solution can remove.
void pivot_qr_turn(const PivotQr *q, double *v);
// Columns of R before the first whose diagonal is at or below part*|R[0][0]|.
int pivot_qr_rank(const PivotQr *q, double part);
// R[n*n] by rows, in the order of the pivots.
void pivot_qr_triangle(const PivotQr *q, double *R);
