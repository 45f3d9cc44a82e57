// out += A in for sparse A, row by row, four columns at a time.
#include "num/product.h"

#include <stddef.h>

#include "num/vec.h"

#define VEC_KERNELS "num/product_kernel.inc"
#include "num/vec_twice.inc"

SparseProduct *sparse_product(void) {
  return vec_wide() ? VEC_BEST(product) : product_plain;
}
