// What the data of a problem show by themselves, before any simulation: weights of the quadrature, noise, mean, dominant
// frequency of each channel. Constant once made.
#pragma once
#include "problem/problem.h"

typedef struct ChannelFacts {
  const Channel *channel;
  double *quadrature; // by sample: weight in the sum or integral that the objective is
  // Standard deviation of the noise that residuals have at least, from differences of the data; NaN: unknown. Predictions and
  // derivatives begin at data that have noise themselves: how large their errors are is not known before a fit.
  double noise;
  double bulk; // about the size of residuals that are noise, where the Huber loss needs one
  double mean, variance; // of what is to be explained: the data, or their increments
  double range;          // largest less smallest value
  double frequency;      // angular, that dominates the channel
  int counted;           // samples whose weight is not 0
  bool unordered;        // rows without times: what neighbours have in common means nothing
} ChannelFacts;

typedef struct MeasuredData {
  const Problem *problem;
  int channel_count;  // of all experiments
  double samples;     // of all channels, whose weight is not 0
  int *first_channel; // by experiment: the number of its first channel
  ChannelFacts *channels;
} MeasuredData;

MeasuredData *measured_data_new(Arena *a, const Problem *p);

// What the model is to explain of a sample: the value itself; of a prediction its difference to what the channel showed where
// the prediction begins. NaN: that is missing.
static inline double sample_target(const Channel *c, int i) {
  return c->from ? c->y[i] - c->from[i] : c->y[i];
}

// The number of a channel among those of all experiments.
static inline int channel_number(const MeasuredData *d, int experiment, int channel) {
  return d->first_channel[experiment] + channel;
}
static inline const ChannelFacts *channel_facts(const MeasuredData *d, int experiment,
                                                int channel) {
  return &d->channels[channel_number(d, experiment, channel)];
}
// Standard deviation of its noise that the user gave.
static inline bool sigma_is_given(const Channel *c) {
  return c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE;
}
bool noise_is_given(const Problem *p);     // of all channels
bool noise_is_estimated(const Problem *p); // of some channel, together with the parameters
double sample_count(const Problem *p, double horizon); // those whose weight is not 0
