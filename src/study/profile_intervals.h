// Intervals by profiles for those unknowns of a fit where linear theory is not to be trusted.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"
#include "stats/statistics.h"

// Marks these unknowns (profile_wanted) and replaces their intervals, as far as the profiles are affordable and come to an end;
// the work is added to that of the result. Nothing is done for results that are not converged, or in pieces, or without
// residuals that show noise. The weighting is that of the statistics.
void profile_intervals(FitResult *fit, Statistics *s, EvalWork *work, const Weighting *weighting);
