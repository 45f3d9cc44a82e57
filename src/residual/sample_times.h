// When the output of an experiment is wanted: the sample times of all its channels in one increasing list, and for each
// sample its place in that list.
#pragma once
#include "problem/problem.h"

typedef struct SampleTimes {
  double *at; // the list
  int count;
  int **row;    // [channel][sample]: place in the list
  bool delayed; // some channel has a delay: the list depends on its value
} SampleTimes;

// With delays of 0.
SampleTimes *sample_times_new(Arena *a, const Experiment *e);
// Moves the times by the delays, which are among the parameters p. Samples from before the start show the start.
void sample_times_update(SampleTimes *s, const Experiment *e, const double *p);

// Samples of a channel that lie in the first part of the experiment: horizon is its share of the duration.
int samples_in_horizon(const Experiment *e, int channel, double horizon);
// Rows of the list that these samples of all channels need.
int rows_in_horizon(const SampleTimes *s, const Experiment *e, double horizon);
