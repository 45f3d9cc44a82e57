// Singular values of small matrices to high relative accuracy, whatever the sizes of the columns.
#pragma once

// A = U diag(s) V', A is rows x n by rows, rows >= n. On return A holds U (a column of zeros where s = 0), s falls, V is
// n x n by rows, its columns are the right singular vectors. Does not allocate. When patience is over, they are not exact.
void svd(int rows, int n, double *A, double *s, double *V);
// s and V alone, of larger matrices: some ten times faster for n in the hundreds. A stays. Numbers below 1e-150 of the
// largest count as zero. When patience is over, they are not exact.
void svd_right(int rows, int n, const double *A, double *s, double *V);
