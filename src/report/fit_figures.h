// All pictures of a fit.
#pragma once
#include "report/figure_list.h"
#include "report/fit_motion_figure.h"
#include "report/fit_report.h"
#include "report/fit_trace.h"
#include "residual/evaluate.h"

// intervals, correlations, optima; lambda-path, parameters, objective, convergence; data-and-model, plane and residuals for
// each experiment, free-run and free-run-plane where residuals are not those of a simulation, validation and
// validation-plane for those of that role. What there is nothing to draw of is left out. Simulates at the result and at the
// start.
FigureList *fit_figures(const FitReport *r, const FitTrace *trace, EvalWork *w,
                        const Weighting *weighting);
// data-and-model and plane for each experiment, at the start values; nothing if the model cannot be simulated there.
void start_figures(FigureList *l, const Problem *p);

// Data and model at the result, without the start. Simulates there if that was not done. Lives in a. false: there is no
// result, or it cannot be simulated.
bool fit_result_motion(FitMotion *out, Arena *a, const FitReport *r, EvalWork *w,
                       const Weighting *weighting);
