// Are residuals white: what is left when a model explains all but the noise.
#pragma once

double autocorrelation(const double *r, int n, int lag); // NaN when there is nothing to tell
// Probability that white residuals are correlated at least this much, over lags 1 to min(10, n/5): Ljung and Box (1978),
// with the variances that noise of changing size needs (Diebold 1986). NaN below 20 residuals.
double ljung_box_p(const double *r, int n);
// Probability that white residuals have a number of runs of equal sign this far from the expected one (Wald and Wolfowitz
// 1940). NaN below 20 residuals, 0 when all have the same sign.
double runs_p(const double *r, int n);
