// The shape of residuals as numbers for pictures: their law as a histogram and as quantiles, their correlation over the lags.
// All of them count; those that are not finite are left out.
#pragma once
#include "base/arena.h"

typedef struct ResidualShape {
  int n;                  // finite ones
  double *sorted;         // these
  double mean, deviation; // NaN: fewer than 1, fewer than 2
} ResidualShape;

ResidualShape residual_shape(Arena *a, const double *r, int count); // lives in a, as the others do

typedef struct Histogram {
  double from, width; // bar i begins at from + i*width
  int *count, bars;   // 0 bars: there is nothing
  int beyond;         // residuals far outside, which the first and the last bar count, too
} Histogram;

// Bars as wide as Freedman and Diaconis (1981) advise.
Histogram residual_histogram(Arena *a, const ResidualShape *s);
// What a bar around x would count if the residuals were normal with the same mean and deviation.
double histogram_normal(const ResidualShape *s, const Histogram *h, double x);

typedef struct NormalQuantiles {
  double *normal, *value; // both rising: of the normal law (mean 0, deviation 1), of the residuals
  int count;
} NormalQuantiles;

// Of more than `most` residuals (at least 2) so many are taken that their normal quantiles are about equally far apart, with
// the least and the largest.
NormalQuantiles residual_quantiles(Arena *a, const ResidualShape *s, int most);

int autocorrelation_lags(int n); // that n residuals can tell about: n/4, at most 60
// out[k]: as autocorrelation (residual_tests.h) at lag k + 1. Pairs with one that is not finite are left out.
void autocorrelations(const double *r, int n, int lags, double *out);
