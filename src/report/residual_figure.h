// Pictures of what a fit leaves unexplained: are the residuals normal, white, and the same for all values of the model?
#pragma once
#include "draw/figure.h"
#include "report/sample_residuals.h"

enum { RESIDUAL_CHANNELS = 4 }; // of one figure

typedef struct ResidualView { // borrows everything
  const Problem *problem;
  const SampleResiduals *residuals;
  const double *sigma; // by channel of all experiments, as in FitResult
} ResidualView;

// For each of channels first .. first + RESIDUAL_CHANNELS - 1 of an experiment, of all its samples that count: the histogram
// with the normal law, the autocorrelation, quantiles beside those of the normal law, residuals over the values of the model.
// Residuals are divided by sigma where that is known. NULL: there are no finite residuals. Lives in a.
Figure *residual_figure(Arena *a, const ResidualView *v, int experiment, int first);
