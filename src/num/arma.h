// Noise that is correlated from sample to sample: ARMA(1,1), r_t = phi r_(t-1) + w_t + theta w_(t-1) with w white. phi alone is
// noise that decays; theta near -phi adds white noise to it.
#pragma once
#include "base/arena.h"

typedef struct Arma { // 0, 0: white
  double phi, theta;  // between -1 and 1
} Arma;

double arma_variance(Arma a);             // of r over that of w
double arma_correlation(Arma a, int lag); // of samples so many steps apart
// Samples that tell as much about a mean as one independent sample: 1 + 2 times the sum of positive correlations over the lags
// of `count` samples. >= 1.
double arma_time(Arma a, int count);

typedef struct ArmaSeries {
  int count, width;
  // width columns that were fitted to the series by least squares, then the series itself (or what the fit left of it).
  double *const *column;
  // By sample: sampling intervals since the one before. Not 1: the filter begins anew; the first always does.
  const int *step;
} ArmaSeries;

// Minus twice the logarithm of the restricted likelihood (Patterson and Thompson 1971): of what no change of the fitted columns
// explains, for the best variance; up to a constant. HUGE_VAL: nothing is left, or the columns are dependent.
double arma_deviance(const ArmaSeries *s, Arma a);
// The best one for some series together, each with a variance of its own. White where they cannot tell.
Arma arma_fit(const ArmaSeries *series, int count);

// Adds the sum of rho_|i-j| row_i row_j' over all pairs of rows to sum, width x width. row: count x width by rows. Steps
// above 1 count as so many. When patience is over, rows are missing.
void arma_sum(Arma a, int count, int width, const double *row, const int *step, double *sum);
