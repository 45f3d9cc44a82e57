#include "num/vec.h"

#include <stdlib.h>
#include <string.h>

#define TARGET
#define KERNEL(name) name##_plain
#include "num/vec_kernels.inc"
#undef TARGET
#undef KERNEL

static const VecKernels PLAIN = {column_sums_plain, column_largest_plain, scaled_squares_plain};

#ifdef VEC_WIDE
#define TARGET VEC_WIDE
#define KERNEL(name) name##_wide
#include "num/vec_kernels.inc"

static const VecKernels WIDE = {column_sums_wide, column_largest_wide, scaled_squares_wide};

bool vec_wide(void) {
  const char *choice = getenv("ENTRAIN_VECTOR");
  return !(choice && strcmp(choice, "off") == 0) && __builtin_cpu_supports("avx2");
}

const VecKernels *vec_kernels(void) {
  return vec_wide() ? &WIDE : &PLAIN;
}
#else
bool vec_wide(void) {
  return false;
}

const VecKernels *vec_kernels(void) {
  return &PLAIN;
}
#endif
