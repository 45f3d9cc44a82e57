// What the reports about a fit are made of.
#pragma once
#include "residual/simulation.h"
#include "stats/statistics.h"

typedef struct FitReport { // borrows everything
  const Problem *problem;
  const FitResult *result;
  const Statistics *statistics;
  // At the result; NULL: the model has no constraints. Not simulated as a whole: numbers of the invariants are -1.
  const InvariantViolation *violation;
} FitReport;
