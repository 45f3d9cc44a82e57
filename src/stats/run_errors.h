// Errors of a simulation that runs freely from the start values to the last sample, in the units of the channels, whatever
// residuals the fit compares: by channel, and in the windows of the problem.
#pragma once
#include "residual/evaluate.h"

typedef struct SpanError {
  int n;             // samples in it
  double rmse, mean; // of model - data; NaN: there are no samples, or it could not be simulated
  double most;       // the largest |model - data|
} SpanError;

typedef struct RunChannel {
  int experiment, channel; // of the problem
  SpanError all;
  double fit_percent;       // NaN: not known
  const double *error;      // by sample, NULL: the experiment could not be simulated
  const double *model;      // the same of the values of the model
  const SpanError *windows; // by window of the experiment
} RunChannel;

typedef struct RunErrors {
  const Problem *problem;
  RunChannel *channels; // by experiment and channel, in one row
  int channel_count;
  double lambda; // of the feedback, 0: it runs freely
  // residual: equation compares derivatives: these channels are the quantities that were recorded, not those of the fit.
  bool recorded;
  // By experiment: a sentence that says why it could not be simulated; NULL: it was.
  const char **why;
} RunErrors;

// Of the problem of w at x, each experiment by itself; lambda: of the feedback, 0: none.
const RunErrors *run_errors(Arena *a, EvalWork *w, double lambda, const double *x);
// Those of the experiments of role validation; NULL: there are none. p: the problem that was fitted.
const RunErrors *validation_errors(Arena *a, const Problem *p, double lambda, const double *x);
bool run_errors_failed(const RunErrors *r); // some experiment could not be simulated
// Whether an experiment of the problem has windows.
bool problem_has_windows(const Problem *p);
// |y - mean y|^2 of a channel; NaN for constant data, whose spread is rounding only.
double channel_spread(const Channel *c);
// 100*(1 - |y - model| / |y - mean y|) of a channel whose squared errors have this sum; NaN for constant data.
double channel_fit_percent(const Channel *c, double squares);
