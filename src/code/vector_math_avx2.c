// The kernels for AVX2 and FMA: four doubles a register.
#include "code/vector_math.h"
#include "code/vector_math_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#define WIDTH 4
#define TABLE(lanes) VECTOR_AVX2_##lanes
#define V_FMA(a, b, c) ((V)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define V_FMS(a, b, c) ((V)_mm256_fmsub_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define V_FNMA(a, b, c) ((V)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define V_ANY(mask) (_mm256_movemask_pd((__m256d)(mask)) != 0)
#include "code/vector_math_kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
