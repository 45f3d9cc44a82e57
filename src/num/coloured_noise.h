// Noise for simulated measurements: normal, of variance 1, a part of it correlated from sample to sample; and rounding.
#pragma once
#include <stdbool.h>

#include "num/random.h"

typedef struct NoiseSource {
  double correlation; // of the slow part, at neighbouring samples
  double slow, white; // deviations of the parts
  double last;        // of the slow part; it begins anew with the first sample
  bool begun;
} NoiseSource;

// share: of the variance, that is slow. Without correlation all is white.
NoiseSource noise_source(double correlation, double share);
double noise_next(NoiseSource *s, Random *r);

double quantised(double y, double quantum); // the nearest multiple; quantum 0: y
