// A model compiled for the residuals of a problem: its measured quantities and their slopes by the unknowns.
//
// A CompiledModel is shared by all threads. Machine code is made when it is first asked for, under a lock, and never changes
// afterwards. A ModelRun is the scratch of one thread for one compiled model, and holds what its last simulation gave.
#pragma once
#include "problem/problem.h"
#include "simulate/lanes.h"
#include "simulate/simulate.h"

typedef struct CompiledModel {
  Arena *arena;
  const Problem *problem;
  Model *model;
  SimulateOptions options, quick_options; // as asked for; with less accuracy
  bool has_quick;                         // false: it would not be less
  Expr *output; // measured quantities, then their rates where a delay needs them
  int outputs;
  int *rate;       // by measured quantity: its rate among the outputs, -1: none
  int *parameters; // of the model that are unknown, without repetition
  int parameter_count;
  struct CompiledCode *code; // made on demand
} CompiledModel;

// measured: the measured quantities of the problem as expressions of this model.
CompiledModel *compiled_model_new(const Problem *p, Model *m, const Expr *measured,
                                  const SimulateOptions *options);
void compiled_model_free(CompiledModel *m); // NULL is allowed
const SimulateOptions *compiled_options(const CompiledModel *m, bool quick);
// The machine code for values, or for values and slopes. Values cost less without the sensitivity equations.
const System *compiled_system(const CompiledModel *m, bool slopes);
// The same for several parameter sets at once. Without rates: delays need simulations of their own.
const System *compiled_lanes(const CompiledModel *m, bool slopes, int lanes);

typedef struct ModelRun {
  const CompiledModel *compiled;
  Arena *arena;
  SimulateWork *work[2][2]; // [slopes][quick], NULL until needed
  double *p;                // all parameters of the model
  double **column;          // [output], then [outputs + output*parameter_count + k]: slopes
  Trajectory trajectory;    // of the last simulation, into these columns
} ModelRun;

// rows: the most that a simulation gives. Keeps the pointer.
ModelRun *model_run_new(const CompiledModel *m, int rows);
void model_run_free(ModelRun *r); // NULL is allowed
SimulateWork *model_run_work(ModelRun *r, bool slopes, bool quick);
// Slopes of an output by parameter k (position among those of the compiled model).
static inline double *model_run_slope(const ModelRun *r, int output, int k) {
  const CompiledModel *m = r->compiled;
  return r->column[m->outputs + output * m->parameter_count + k];
}
