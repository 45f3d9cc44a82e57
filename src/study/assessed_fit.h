// A fit with its statistics: one compiled model serves the search, the statistics and reports.
#pragma once
#include "search/fit.h"
#include "stats/statistics.h"

typedef struct AssessedFit {
  Fitting *fitting;
  EvalWork *work;
  FitResult *result;
  Weighting *weighting; // of the result
  Statistics *statistics;
} AssessedFit;

// As fit_run, then assess_fit and profile_intervals, with what is left of max_seconds; the seconds of the result are those of both. The listener is
// asked during these, too (stages "statistics" and "profiles"). grace: s, what statistics may take of a fit that was stopped.
AssessedFit assessed_fit_run(const Problem *p, const double *start, double grace,
                             FitListener *listener, void *data);
// Looks for what real data show: terms that the model misses (unmodelled.h), inputs that should be interpolated otherwise
// (interpolation.h). Adds remarks. With what is left of max_seconds; nothing if there is no result or no time was left.
void assessed_fit_examine(AssessedFit *f, FitListener *listener, void *data);
// It may be used as it is: 'entrain fit' has the exit status 0. It converged, its verdict is good if its method gives one, and
// there was time for everything.
bool assessed_fit_is_usable(const AssessedFit *f);
void assessed_fit_done(AssessedFit *f);
