// The builds of vector_math_kernels.inc, for vector_math.c to choose from.
#pragma once

struct VectorMath; // of vector_math.h
extern const struct VectorMath VECTOR_GENERIC_4, VECTOR_GENERIC_8;
#if defined(__x86_64__)
extern const struct VectorMath VECTOR_AVX2_4, VECTOR_AVX2_8;
extern const struct VectorMath VECTOR_AVX512_8;
#endif
