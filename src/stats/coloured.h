// Residuals that are correlated from sample to sample: what that does to the covariance of the estimates.
#pragma once
#include "stats/analysis.h"

// Sets an->colour from the residuals of a fit. Channels whose residuals are mere errors of simulations, or too few, count as
// white.
void find_colour(Analysis *an);
bool has_colour(const Analysis *an); // the residuals of some channel are not white
// Then: as projection_covariance, with the correlations of each channel. variance: of each row, as if they were white; channels
// without sigma get their own, which allows for what a fit takes from correlated residuals. *excess: by how much the
// correlations raise the variance of an estimate, as a mean over all directions. >= 1.
void coloured_covariance(const Analysis *an, const Projection *p, const double *variance,
                         double *covariance, double *excess);
// Of all samples: those that would tell as much if they were independent.
double effective_samples(const Analysis *an);
