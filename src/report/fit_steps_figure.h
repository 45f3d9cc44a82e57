// Pictures of the way to a result: over lambda, over the steps, over the work.
#pragma once
#include "draw/figure.h"
#include "report/fit_trace.h"

// Objective and unknowns over the stages of the homotopy, from lambda = 1 to 0. NULL: there was none. All live in a.
Figure *fit_path_figure(Arena *a, const FitResult *r);
// Every unknown over the steps, the start included. NULL: there was no step.
Figure *fit_parameters_figure(Arena *a, const FitResult *r, const FitTrace *t);
// The objective of the steps over each unknown.
Figure *fit_slopes_figure(Arena *a, const FitResult *r, const FitTrace *t);
// The objective of what was minimised over the simulations so far. NULL: there was no step.
Figure *fit_convergence_figure(Arena *a, const FitResult *r, const FitTrace *t);
