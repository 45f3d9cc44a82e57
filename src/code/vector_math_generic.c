// The kernels for any processor: pairs of doubles. Without an FMA unit fma() is slow, but gives the
// same bits.
#include "code/vector_math.h"
#include "code/vector_math_kernels.h"

#include <math.h>
#include <string.h>

#define WIDTH 2
#define TABLE(lanes) VECTOR_GENERIC_##lanes
#define V_FMA(a, b, c) ((V){fma((a)[0], (b)[0], (c)[0]), fma((a)[1], (b)[1], (c)[1])})
#define V_FMS(a, b, c) V_FMA(a, b, -(c))
#define V_FNMA(a, b, c) V_FMA(-(a), b, c)
#define V_ANY(mask) (((mask)[0] | (mask)[1]) != 0)
#include "code/vector_math_kernels.inc"
