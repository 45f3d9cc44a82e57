// The input of all reports about a fit.
#pragma once
#include "residual/simulation.h"
#include "search/fit_result.h"
#include "stats/statistics.h"

typedef struct FitReport { // borrows everything
  const Problem *problem;
  const FitResult *result;
  const Statistics *statistics;
  // At the result; NULL: the model has no constraints. Its indices are -1 if the result was not simulated as a whole.
  const InvariantViolation *violation;
} FitReport;
