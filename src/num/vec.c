// Sums, largest and scaled squares by columns, four at a time.
#include "num/vec.h"

#include <stdlib.h>
#include <string.h>

#define VEC_KERNELS "num/vec_kernels.inc"
#include "num/vec_twice.inc"

static const VecKernels PLAIN = {column_sums_plain, column_largest_plain, scaled_squares_plain};
static const VecKernels WIDE = {VEC_BEST(column_sums), VEC_BEST(column_largest),
                                VEC_BEST(scaled_squares)};

bool vec_wide(void) {
#ifdef VEC_WIDE
  const char *choice = getenv("ENTRAIN_VECTOR");
  return !(choice && strcmp(choice, "off") == 0) && __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

const VecKernels *vec_kernels(void) {
  return vec_wide() ? &WIDE : &PLAIN;
}
