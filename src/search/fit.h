// A fit: from a problem to its result by the method it asks for.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

// start: unknowns to begin from instead of those of the problem, or NULL. Never fails: outcomes are in the result.
FitResult *fit_run(const Problem *p, const double *start, FitListener *listener, void *data);
// The same with an EvalWork, whose compiled models are used. p: the problem of its fitting, or a copy of it with another
// method, other limits or another number of threads.
FitResult *fit_run_on(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                      void *data);
// Simulates at the start, for objective_start, when no search has done so with full accuracy.
void fit_evaluate_start(FitResult *r, EvalWork *w);
