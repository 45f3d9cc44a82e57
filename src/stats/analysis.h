// What the parts of the statistics share while they are computed.
#pragma once
#include "num/arma.h"
#include "search/samples.h"
#include "stats/covariance.h"
#include "stats/statistics.h"

typedef struct Colour { // of the residuals of a channel
  Arma arma;
  bool known, done; // known: not white; done: looked at
  double time;      // as arma_time
  int *step;        // as of an ArmaSeries
  double interval;  // usual time between samples
  bool uneven;      // there is none: correlation counts from sample to sample
} Colour;

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
  // Where weights of samples differ within a channel: the projection with the typical scale of each channel instead, and by
  // row, in its unit, what this fit would leave of the residuals. A fit may be far off where weights are small; this is the
  // noise that it would be far off by. The same as projection, and NULL, where they do not differ.
  Projection *even;
  double *left;
  double weighty; // samples of equal weight that would tell as much, Kish (1965)
  double *noise;  // by channel: standard deviation that sensitivities are compared with
  bool assumed;   // some of it is not known: 1 % of the channel's rms
  Colour *colour; // by channel; NULL: no fit
  double *size;   // by unknown: what changes along directions are compared with
} Analysis;

// The fit has driven it into a bound.
static inline bool stopped_by_bound(const Analysis *an, int k) {
  return an->fitted && an->s->parameters[k].at_bound;
}

// By unknown: its place in texts, that of its parameter in the model.
int *unknown_ranks(const Analysis *an);

// The residuals of a channel that show its noise: as they are, or `left`.
const double *noise_residuals(const Analysis *an, int at);
// Degrees of freedom of these: samples less their leverages.
double residual_freedom(const Analysis *an, int at);
// Standard deviation of these with these degrees of freedom; NaN when there are none.
double residual_deviation(const Analysis *an, int at);

// Whether all channels have noise that is more than errors of the simulation: given, left by the fit, or (before a fit) in
// the differences of the data.
bool noise_is_real(const Analysis *an);
// What the data are seen through, relative to the strongest direction: below are rounding errors only, since sensitivities
// are exact derivatives of the computed solution. Without real noise the accuracy of the simulation takes its place.
double unseen_part(const Analysis *an);

// Error of a simulation relative to the data below which residuals mean nothing.
double residual_accuracy(const Problem *p);
double sum_of_squares(const double *r, int n);
