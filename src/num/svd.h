// Singular values of small matrices to high relative accuracy, whatever the sizes of the columns.
#pragma once

// A = U diag(s) V', A is rows x n by rows, rows >= n. On return A holds U (a column of zeros where s = 0), s falls, V is
// n x n by rows, its columns are the right singular vectors. Does not allocate. When patience is over, they are not exact.
void svd(int rows, int n, double *A, double *s, double *V);
