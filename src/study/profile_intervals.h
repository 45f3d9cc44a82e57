// Intervals by profiles for those unknowns of a fit where linear theory is not to be trusted.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"
#include "stats/statistics.h"

// Marks these unknowns (profile_wanted) and replaces their intervals, as far as the profiles are affordable and come to an end;
// the work is added to that of the result. Where the user or a limit ended the fit or its profiles before, "profiles" are
// missing in the statistics. Results that are not converged have none; nor have results in pieces or without residuals that
// show noise, whose unknowns are not marked. The weighting is that of the statistics. Returns the unknowns of a point that is
// so much better than the result that another search is worth it, which a profile has passed, NULL: none.
const double *profile_intervals(FitResult *fit, Statistics *s, EvalWork *work,
                                const Weighting *weighting);
