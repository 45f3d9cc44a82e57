// Cholesky factorisation A = R'R by rows: R_ii^2 = A_ii - sum_k R_ki^2, R_ij = (A_ij - sum_k R_ki R_kj) / R_ii, sums
// over k < i (Golub and Van Loan, Matrix Computations, section 4.2).
#include "num/cholesky.h"

#include <math.h>
#include <stddef.h>

bool cholesky(int n, double *A, double least) {
  for (int i = 0; i < n; i++) {
    double *row = A + (size_t)i * n, whole = row[i];
    for (int k = 0; k < i; k++) row[i] -= A[(size_t)k * n + i] * A[(size_t)k * n + i];
    if (!(row[i] > least * whole) || !(whole > 0)) return false;
    row[i] = sqrt(row[i]);
    for (int j = i + 1; j < n; j++) {
      for (int k = 0; k < i; k++) row[j] -= A[(size_t)k * n + i] * A[(size_t)k * n + j];
      row[j] /= row[i];
    }
    for (int j = 0; j < i; j++) row[j] = 0;
  }
  return true;
}
