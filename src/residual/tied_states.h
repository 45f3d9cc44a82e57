// States that are not measured, supplied by the model coupled to the data (feedback "pd" at lambda = 1), which is simulated over
// the experiment with the parameters of the moment; with their slopes.
#pragma once
#include "residual/feedback.h"

// Made once for a fitting, constant.
typedef struct TiedStates {
  Arena *arena;
  const Problem *problem;
  Feedback *feedback;
  int *state; // those that some experiment needs
  int count;
  System *system[2]; // [slopes]
} TiedStates;

// NULL: no experiment needs any. model: whose parameters the slopes belong to. Keeps the pointers.
TiedStates *tied_states_new(const MeasuredData *d, const CompiledModel *model);
void tied_states_free(TiedStates *t); // NULL is allowed

typedef struct TiedWork { // scratch of one thread
  const TiedStates *tied;
  Arena *arena;
  SimulateWork *simulate[2]; // [slopes], NULL until needed
  double *p;
  double *values, *slopes; // [row][count], [row][count][parameter] of the last run
} TiedWork;
TiedWork *tied_work_new(const TiedStates *t); // NULL for NULL
void tied_work_free(TiedWork *w);             // NULL is allowed

// The states at the rows of the data of an experiment, at the parameters p of the model. What simulate_run says goes into t.
bool tied_run(TiedWork *w, int experiment, const double *p, bool slopes, Trajectory *t);
// Number of the state among those, -1: it is not one of them in this experiment.
int tied_number(const TiedStates *t, int experiment, int state);
