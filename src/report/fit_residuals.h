// The residuals of a fit as CSV: measurement, model and difference at every sample.
#pragma once
#include "report/fit_report.h"
#include "residual/evaluate.h"

// experiment,variable,time,data,model,residual; residual = model - data. false when the model cannot be simulated at the
// result.
bool fit_residuals_csv(Text *out, const FitReport *r, EvalWork *w, const Weighting *weighting,
                       Err *err);
