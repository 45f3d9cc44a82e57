// What residuals are multiplied with, for one set of standard deviations sigma: scale = sqrt(weight * sample weight *
// quadrature)/sigma by sample, and the limit of the Huber loss. A new sigma makes a new Weighting; none is ever changed.
#pragma once
#include "residual/measured_data.h"

typedef struct ChannelWeights {
  double *scale; // by sample
  double
      huber; // residual, in the unit of the channel, at which the loss leaves the square; HUGE_VAL: never
} ChannelWeights;

typedef struct Weighting {
  Arena *arena;
  const MeasuredData *data;
  double *sigma; // by channel of all experiments; 1 when unknown
  ChannelWeights *channels;
} Weighting;

// Of the residuals of samples with the weight 0: their squares vanish beside all others, but divided by it they are known.
#define SCALE_OF_NOTHING 1e-100
double sample_scale(const Channel *c, int i, double quadrature, double sigma);

// sigma NULL: what is known before any fit (given, from the noise of the data, or 1). Keeps the pointer to the data.
Weighting *weighting_new(const MeasuredData *d, const double *sigma);
// Residuals as they are, model - data in the units of the channels.
Weighting *weighting_plain(const MeasuredData *d);
void weighting_free(Weighting *w); // NULL is allowed

// Residuals of one channel as they come out of a simulation: column[0 .. n-1] their slopes by the unknowns, column[n] the
// residuals (model - data)*scale. Slopes are multiplied with the scale, too.
typedef struct ResidualBlock {
  int experiment, channel; // channel -1: a gap between pieces, see search/shooting.h
  int first, rows;         // samples first .. first + rows - 1 of the channel
  double *const *column;
  const double *scale; // by row
  const double *model; // by row: the value of the model itself; NULL: it has none
} ResidualBlock;
typedef void ResidualSink(void *data, const ResidualBlock *block); // may destroy the block
// Hands blocks to the sink, with or without slopes. false: it cannot.
typedef bool ResidualSource(void *self, ResidualSink *sink, void *data);
// Estimated sigmas become the root mean square of these residuals, with the Huber loss that of their bulk; `change` is the
// largest relative change. NULL: the source failed, or nothing is estimated; change is then 0.
Weighting *weighting_from_residuals(const Weighting *w, ResidualSource *source, void *self,
                                    double *change);

// Objectives over the first part of the data (horizon: share of each experiment):
double noise_objective(const Weighting *w,
                       double horizon); // that noise alone explains; NaN: unknown
double data_objective(const Weighting *w, double horizon); // of the data against their means
