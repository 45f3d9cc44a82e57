// Rows that begin at states known from the data instead of going on from the start values: predictions of each sample from an
// earlier one, and derivatives computed at the samples (0 samples ahead). They fill the same columns as a simulation.
#pragma once
#include "residual/sample_times.h"
#include "residual/tied_states.h"

// Made once for a fitting, constant.
typedef struct FromData {
  Arena *arena;
  const Problem *problem;
  bool integrates;            // by the integrator; else in single steps, without events
  const CompiledModel *model; // that of the fitting, or own
  CompiledModel *own;         // the same without events; NULL: it has none, or they are needed
  TiedStates *tied;           // states that are not measured; NULL: none
  int ahead;                  // samples
  int **base;                 // [experiment][row of the sample times]: row of the data it begins at
} FromData;

// NULL: residuals are those of simulations. Keeps the pointers.
FromData *from_data_new(const MeasuredData *d, const CompiledModel *model,
                        SampleTimes *const *times);
void from_data_free(FromData *f); // NULL is allowed

typedef struct FromDataWork FromDataWork; // scratch of one thread
FromDataWork *from_data_work_new(const FromData *f);
void from_data_work_free(FromDataWork *w); // NULL is allowed

// What simulate_run would do: the first `rows` rows of an experiment at the parameters p, into the columns of t.
void from_data_run(FromDataWork *w, int experiment, const double *p, int rows, Trajectory *t);
