// Are residuals white: what is left when a model explains all but the noise.
#pragma once

double autocorrelation(const double *r, int n, int lag); // NaN when there is nothing to tell
// Probability that white residuals have neighbours correlated at least this much, with the variance that noise of changing
// size needs. Of the three tests the strongest for noise of a short memory: a correlation of 0.3 in 100 residuals has p <
// 1e-3 in 26 % of cases, against 12 % by ten lags and 10 % by runs. NaN below 20 residuals.
double lag1_p(const double *r, int n);
// Probability that white residuals are correlated at least this much, over lags 1 to min(10, n/5): Ljung and Box (1978),
// with the variances that noise of changing size needs (Diebold 1986). NaN below 20 residuals.
double ljung_box_p(const double *r, int n);
// Probability that white residuals have a number of runs of equal sign this far from the expected one (Wald and Wolfowitz
// 1940). NaN below 20 residuals, 0 when all have the same sign.
double runs_p(const double *r, int n);
// The least of the three, so white residuals have p < P with a probability of up to 3 P (below 100 residuals 5 P, because
// of the ten lags). NaN: too few to tell.
double white_p(const double *r, int n);
