// Computes the statistics of a fit, or of any point.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"
#include "stats/run_errors.h"
#include "stats/statistics.h"

// The weighting of a result: by its sigmas, where they are estimated by its own residuals. The caller frees it.
Weighting *assess_weighting(const FitResult *r, EvalWork *w);
// The work, of the fitting that was fitted, is used for simulations. Never NULL.
Statistics *assess_fit(const FitResult *r, EvalWork *w, const Weighting *weighting);
// The same at any point x, for 'check': no residual statistics matter, sigma as in the problem or from the data.
Statistics *assess_point(EvalWork *w, const double *x);
// Only the size of the errors by channel, of the experiments that could be simulated.
Statistics *assess_runs(const Problem *p, const RunErrors *r);
