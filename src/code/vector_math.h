// Mathematical functions on lanes: the same bits on every processor, whichever build of the kernels
// runs there.
//
// Largest errors seen, in units in the last place: sin, cos, log 0.8; atan, exp, pow 0.7; tanh 2.3.
// Arguments that a kernel is not made for (huge, subnormal, negative base, infinite, NaN) and all
// other functions go through libm, lane by lane.
#pragma once
#include "code/program.h"

// result may be a or b. One-argument functions do not look at b.
typedef void VectorFn(const double *a, const double *b, double *result);
typedef void VectorPairFn(const double *a, double *sine, double *cosine);

typedef struct VectorMath {
  VectorFn *fn[OP_COUNT]; // of CALL operators, NULL elsewhere
  VectorPairFn *sincos;   // the same bits as fn[OP_SIN] and fn[OP_COS]
} VectorMath;

typedef enum VectorBuild { VECTOR_GENERIC, VECTOR_AVX2, VECTOR_AVX512 } VectorBuild;

const VectorMath *vector_math(int lanes); // the fastest build for this processor; lanes = 4 or 8
// One build; NULL where the processor or the compiler does not have it.
const VectorMath *vector_math_build(VectorBuild build, int lanes);
