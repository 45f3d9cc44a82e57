// The kernels for AVX-512: eight doubles a register.
#include "code/vector_math.h"
#include "code/vector_math_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#endif

#define WIDTH 8
#define TABLE(lanes) VECTOR_AVX512_##lanes
#define V_FMA(a, b, c) ((V)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define V_FMS(a, b, c) ((V)_mm512_fmsub_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define V_FNMA(a, b, c) ((V)_mm512_fnmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define V_ANY(mask) (_mm512_movepi64_mask((__m512i)(mask)) != 0)
#include "code/vector_math_kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
