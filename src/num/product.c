#include "num/product.h"

#include <stddef.h>

#include "num/vec.h"

#define TARGET
#define KERNEL(name) name##_plain
#include "num/product_kernel.inc"
#undef TARGET
#undef KERNEL

#ifdef VEC_WIDE
#define TARGET VEC_WIDE
#define KERNEL(name) name##_wide
#include "num/product_kernel.inc"

SparseProduct *sparse_product(void) {
  return vec_wide() ? product_wide : product_plain;
}
#else
SparseProduct *sparse_product(void) {
  return product_plain;
}
#endif
