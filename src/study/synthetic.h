// Data that the model makes itself: the samples of a problem replaced by what the model says at known parameters, with noise.
#pragma once
#include "num/random.h"
#include "problem/problem.h"

typedef struct ModelValues {
  double **y;  // by experiment and channel in one row: by sample
  double size; // V of a model that is zero everywhere: half the sum of (scale * y)^2
} ModelValues;

// What the model says at x for every sample of the problem, simulated a thousand times as exactly as a fit of the problem
// would. Lives in the arena. false when the simulation failed; why (may be NULL) then says it.
bool model_values(const Problem *p, const double *x, Arena *a, ModelValues *out, char why[700]);

// A problem like p with these samples and noise on them. It shares everything else with p, which must outlive it, lives
// in the arena, and is never given to problem_free. kind: NOISE_..., all channels must have a sigma for NOISE_SIGMA;
// noise 0: r is not used by the other kinds. Correlation of the noise and rounding of the samples are options of p.
Problem *problem_with_samples(const Problem *p, const ModelValues *values, int kind, double noise,
                              Random *r, Arena *a);

// Standard deviation of the noise that would be made on these values of a channel (root mean square over the samples), and
// the sigma that a fit of them would use: NaN when it is not given.
double noise_of_samples(const Channel *c, const double *values, int kind, double noise);
double sigma_of_samples(const Channel *c, const double *values);

int problem_channels(const Problem *p); // of all experiments together
