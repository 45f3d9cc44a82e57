// All rows of a problem at one point in natural units: what every statistic is computed from.
#pragma once
#include "search/result_rows.h"

typedef struct SampleChannel {
  int experiment, channel;
  int first, count;    // rows: of the samples whose weight is not 0
  const Channel *data; // with these samples only
  const int
      *place; // by sample of the problem: its place among the rows, -1: it has none; NULL: all have
  double rms; // of the data; 1 when they are all zero
  double
      size; // what errors of simulations are compared with: deviation from the mean, or rms if they do not change
  double noise; // by differences of the data, NaN when unknown
} SampleChannel;

typedef struct Samples {
  int n;           // unknowns
  int count;       // rows of samples
  int prior_count; // rows of priors behind them
  int gap_count;   // rows of gaps between pieces behind those, see shooting_rows
  double gap_unit; // scale of such a row times its standard deviation: as of a typical sample
  double **column; // n slopes, then the residuals model - data; in the units of the channels
  double *scale;   // by row: what the objective multiplies it by
  // By row: residual, in natural units, at which the Huber loss leaves the square; HUGE_VAL: never.
  double *huber;
  SampleChannel *channels;
  int channel_count;
  int constraint_count; // rows of active constraints behind all others, as far as they are independent; without noise
  bool *fixed; // by unknown: these determine it completely
} Samples;

// pieces: of the result at x, or NULL. NULL when the model cannot be simulated at x; see result_why.
Samples *samples_new(Arena *a, EvalWork *w, const Weighting *weighting, const FitPieces *pieces,
                     const double *x);
// The row of a sample of the problem; -1: none, its weight is 0.
static inline int samples_row(const SampleChannel *c, int sample) {
  int place = c->place ? c->place[sample] : sample;
  return place < 0 ? -1 : c->first + place;
}
static inline int samples_rows(const Samples *s) {
  return s->count + s->prior_count + s->gap_count + s->constraint_count;
}
// Factors of the rows of constraints, such that they count much more than all others, which have theirs.
void samples_weigh_constraints(const Samples *s, double *factor);
// What a change of each unknown is compared with: |x|, or what is usual where it may be zero or change its sign, or what
// narrow bounds leave. > 0.
double typical_size(const Unknown *f, double x);
