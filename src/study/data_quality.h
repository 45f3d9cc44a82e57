// What the samples of a channel look like, without a model.
#pragma once
#include "problem/problem.h"

typedef struct DataQuality {
  int count;
  double rms, least, most, deviation; // deviation: rms about the mean
  bool constant;
  double step, step_least, step_most; // step: the median; 0 with fewer than two samples
  double gap_from, gap_to;            // the largest step
  double noise;                       // standard deviation from differences; NaN when unknown
  double period;                      // of the oscillation about the mean; NaN when there is none
  int outliers;                       // isolated samples that their neighbours contradict
  double outlier_t, outlier_y;        // the worst of them
  int clipped;                 // samples of the longest row that stays at the most or the least
  double clipped_t, clipped_y; // where that begins
} DataQuality;

// jump[i]: something that drives the motion jumps between samples i and i + 1, so samples there need not be smooth. NULL:
// nothing jumps.
void data_quality(const double *t, const double *y, int n, const bool *jump, DataQuality *out);
