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

// As fit_run, then assess_fit, with what is left of max_seconds; the seconds of the result are those of both. The listener is
// asked during the statistics, too (stage "statistics"). grace: s, what statistics may take of a fit that was stopped.
AssessedFit assessed_fit_run(const Problem *p, const double *start, double grace,
                             FitListener *listener, void *data);
void assessed_fit_done(AssessedFit *f);
