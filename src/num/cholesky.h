// A positive definite matrix as R'R.
#pragma once
#include <stdbool.h>

// In place of the upper triangle of A, n*n by rows; what is below becomes 0. False, and A of no use, where less than `least`
// is left of a diagonal entry: A is not positive definite, or too nearly singular.
bool cholesky(int n, double *A, double least);
