// Four doubles at a time. Kernels are written once, in a .inc file, and compiled for plain x86-64
// and for AVX2. Both give the same bits: they differ in width only, never in the order of
// operations, and nothing is fused (-ffp-contract=off).
#pragma once
#include <stdbool.h>

typedef double Vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long VecBits __attribute__((vector_size(32), aligned(8), may_alias));

#define VEC_AT(p, i) (*(const Vec *)((p) + (i)))
// Four numbers that were just written one by one: a processor hands them on from its store buffer only one by one, and
// would wait for a load of all four.
#define VEC_FRESH(p, i)                                                                            \
  ((Vec){VEC_ONE(p, i), VEC_ONE(p, (i) + 1), VEC_ONE(p, (i) + 2), VEC_ONE(p, (i) + 3)})
#define VEC_ONE(p, i) (*(const volatile double *)((p) + (i)))
#define VEC_PUT(p, i, value) (*(Vec *)((p) + (i)) = (value))
#define VEC_ABS(v) ((Vec)((VecBits)(v)&0x7fffffffffffffffLL))
#define VEC_SELECT(mask, a, b) ((Vec)(((mask) & (VecBits)(a)) | (~(mask) & (VecBits)(b))))

#if defined(__x86_64__)
#define VEC_WIDE __attribute__((target("avx2")))
#endif

// Arrays that kernels work on have this many numbers: kernels read and write whole groups of four
// from any start.
static inline int vec_padded(int count) {
  return (count + 15) / 8 * 8;
}

// Whether to use the kernels compiled for AVX2: the processor has it, and ENTRAIN_VECTOR is not
// "off".
bool vec_wide(void);

typedef struct VecKernels {
  // sums[c] = sum over rows of q[r*width + c], row by row
  void (*column_sums)(const double *q, int rows, int width, double *sums);
  // The same with the largest instead of the sum (none is negative); NaN when there is one.
  void (*column_largest)(const double *q, int rows, int width, double *largest);
  // q = (e / (abs + rel*max(|y0|, |y1|)))^2
  void (*scaled_squares)(int count, const double *e, const double *y0, const double *y1,
                         const double *abs, double rel, double *q);
} VecKernels;
const VecKernels *vec_kernels(void); // the best for this processor
