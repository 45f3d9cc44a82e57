// Single steps from known states for several samples at once, in the lanes of the processor: each lane has its own time, inputs
// and states, and all have the same parameters.
#pragma once
#include "residual/compiled_model.h"

typedef struct StepLanes StepLanes; // scratch of one thread

// What the states (and behind them their columns, as of a stepper of the system with one lane) are at a row of the data.
typedef void StatesAtRow(void *data, const System *s, int row, double *y);

typedef struct StepRequest {
  const Experiment *e;
  const double *p;
  const int *base; // by row: row of the data it begins at
  int rows;
  int ahead; // steps
  bool euler;
  StatesAtRow *states;
  void *data;
} StepRequest;

// NULL: the model cannot be computed in lanes. Keeps the pointer.
StepLanes *step_lanes_new(const CompiledModel *m, bool slopes);
void step_lanes_free(StepLanes *s); // NULL is allowed

int step_lanes_width(const StepLanes *s);
void step_lanes_begin(StepLanes *s, const StepRequest *q);
// As many rows from `first` on as there are lanes, no more than there are, into columns as of a ModelRun. False: a number is not
// finite.
bool step_lanes_rows(StepLanes *s, const StepRequest *q, int first, double *const *column);
