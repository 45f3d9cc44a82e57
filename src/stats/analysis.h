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
  Objective *o;
  const double *x;
  bool fitted; // x is the result of a fit: residuals are noise, and numbers at bounds are held
  Samples *rows;
  Projection *projection; // of the rows as the objective weighs them
  double *noise;          // by channel: standard deviation that sensitivities are compared with
  bool assumed;           // some of it is not known: 1 % of the channel's rms
  double *size;           // by number: typical_size
} Analysis;

// Sensitivities seen through noise or through the accuracy of the simulation: singular values, rank, directions, and for
// each number whether it can be determined.
void analyse_identifiability(Analysis *an);
// Sentences about all of it.
void write_remarks(Analysis *an);
// How far sensitivities of unit length can be trusted.
double sensitivity_accuracy(const Problem *p);
// Error of a simulation relative to the data below which residuals mean nothing.
double residual_accuracy(const Problem *p);
