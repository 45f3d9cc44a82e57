// What the parts of the statistics share while they are computed.
#pragma once
#include "stats/covariance.h"
#include "stats/samples.h"
#include "stats/statistics.h"

typedef struct Analysis {
  Statistics *s; // being filled
  Arena *a;      // of the statistics
  Arena *scratch;
  const Problem *p;
  EvalWork *work;
  const Weighting *weighting; // by the sigmas of the result
  const double *x;
  const FitPieces *pieces; // of the result; NULL: it has none
  // x is the result of a fit: residuals are noise, and unknowns at bounds were stopped there.
  bool fitted;
  Samples *rows;
  Projection *projection; // of the rows as the objective weighs them
  double *noise;          // by channel: standard deviation that sensitivities are compared with
  bool assumed;           // some of it is not known: 1 % of the channel's rms
  double *size;           // by unknown: what changes along directions are compared with
} Analysis;

// The fit has driven it into a bound.
static inline bool stopped_by_bound(const Analysis *an, int k) {
  return an->fitted && an->s->parameters[k].at_bound;
}

// Degrees of freedom of the residuals of a channel: samples less their leverages.
double residual_freedom(const Analysis *an, int at);
// Standard deviation of the residuals of a channel with these degrees of freedom; NaN when there are none.
double residual_deviation(const Analysis *an, int at);

// Error of a simulation relative to the data below which residuals mean nothing.
double residual_accuracy(const Problem *p);
double sum_of_squares(const double *r, int n);
