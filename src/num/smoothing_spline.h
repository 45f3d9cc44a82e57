// Cubic smoothing spline: the function g with the least sum of (y - g(t))^2 + alpha * integral of g''^2.
//
// How smooth it is follows from the data: alpha has the least generalised cross-validation; where the standard deviation of
// the noise is known, the least estimate of the error of g (Mallows' C_p, unbiased risk).
#pragma once
#include "base/arena.h"

typedef struct SmoothingSpline {
  double *value, *slope, *curvature; // at the samples
  double alpha;
  double
      freedom; // trace of the matrix that makes g of y: between 2, a straight line, and n, interpolation
  double residual; // root mean square of y - g
} SmoothingSpline;

// t increases, n >= 1; with fewer than 4 samples it interpolates: a line, a parabola. sigma: standard deviation of the noise,
// NaN: unknown. Lives in the arena.
SmoothingSpline smoothing_spline(Arena *a, const double *t, const double *y, int n, double sigma);
