// When an experiment is to be simulated: all sample times of its channels in one increasing list, and which row of it
// belongs to which sample.
#pragma once
#include "problem/problem.h"

typedef struct PlanChannel {
  int *row; // by sample
} PlanChannel;

typedef struct Plan {
  double *times;
  int count;
  PlanChannel *channels;
  bool delayed; // some channel has a delay: the plan depends on it
} Plan;

Plan *plan_new(Arena *a, const Experiment *e);
// Times move with the delays, which are among the parameters p. Samples from before the start show the start.
void plan_update(Plan *plan, const Experiment *e, const double *p);
