// The input of all reports about a fit.
#pragma once
#include "residual/simulation.h"
#include "search/fit_result.h"
#include "stats/run_errors.h"
#include "stats/statistics.h"

typedef struct FitReport { // borrows everything
  const Problem *problem;
  const FitResult *result;
  const Statistics *statistics;
  // At the result; NULL: the model has no constraints. Its indices are -1 if the result was not simulated as a whole.
  const InvariantViolation *violation;
  // Of the free-running simulation at the result: of the fitted experiments, NULL: nobody asks for them; of those for
  // validation, NULL: there are none.
  const RunErrors *run, *validation;
  const double *hessian; // of the objective at the result, n*n by rows; NULL: nobody asked for it
  const struct EvaluatedPoint *point; // no fit, but a point that was evaluated; else NULL
} FitReport;
