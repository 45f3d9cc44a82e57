// A sparse matrix times a dense one that is stored by rows.
#pragma once
#include "num/pattern.h"

// out += A in; rows of in and out have `width` numbers, a multiple of 4. value: of A, in the order of the pattern.
typedef void SparseProduct(const Pattern *p, const double *value, const double *in, int width,
                           double *out);
SparseProduct *sparse_product(void); // the best for this processor; all give the same bits
