// A positive definite matrix as R'R.
#pragma once
#include <stdbool.h>

// R replaces the upper triangle of A, n*n by rows; what is below becomes 0. Returns false where less than the share
// `least` is left of a diagonal entry: A is not positive definite, or nearly singular. A is then destroyed.
bool cholesky(int n, double *A, double least);
