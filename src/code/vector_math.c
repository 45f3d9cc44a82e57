// The choice between the builds of the kernels.
#include "code/vector_math.h"

#include <stddef.h>

#include "code/cpu.h"
#include "code/vector_math_kernels.h"

#if defined(__x86_64__)
const VectorMath *vector_math_build(VectorBuild build, int lanes) {
  switch (build) {
  case VECTOR_AVX512: return cpu_has_avx512() && lanes == 8 ? &VECTOR_AVX512_8 : NULL;
  case VECTOR_AVX2:
    if (!cpu_has_avx2()) return NULL;
    return lanes == 8 ? &VECTOR_AVX2_8 : &VECTOR_AVX2_4;
  default: return lanes == 8 ? &VECTOR_GENERIC_8 : &VECTOR_GENERIC_4;
  }
}
#else
const VectorMath *vector_math_build(VectorBuild build, int lanes) {
  if (build != VECTOR_GENERIC) return NULL;
  return lanes == 8 ? &VECTOR_GENERIC_8 : &VECTOR_GENERIC_4;
}
#endif

const VectorMath *vector_math(int lanes) {
  const VectorMath *best = vector_math_build(VECTOR_AVX512, lanes);
  if (!best) best = vector_math_build(VECTOR_AVX2, lanes);
  return best ? best : vector_math_build(VECTOR_GENERIC, lanes);
}
