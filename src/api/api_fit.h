// A fit of the public library.
#pragma once
#include "api/api.h"
#include "base/patience.h"
#include "report/fit_report.h"
#include "report/fit_trace.h"
#include "report/sample_residuals.h"
#include "study/evaluated_point.h"

struct EntrainFit {
  const Problem *problem;
  AssessedFit fit;
  const FitResult *result; // of the fit
  const Statistics *statistics;
  FitTrace *trace;
  InvariantViolation violation; // at the result
  Arena *arena;                 // of the errors below
  const RunErrors *run, *validation;
  double *hessian;       // of the objective; NULL: not found
  EvaluatedPoint *point; // without a search: owns fit, run and validation; else NULL
  SampleResiduals residuals;
  bool has_residuals;      // of the fitted channels
  EntrainSamples *samples; // by channel; size 0: not made
};

// For what follows a fit: what is left of max_seconds, or a moment.
Patience fit_patience(const EntrainFit *f, double grace);
FitReport fit_report_of(const EntrainFit *f);
// The errors of channel i of all, whose number in them replaces i. NULL: there are none.
const RunErrors *fit_errors_with(const EntrainFit *f, int *i);
