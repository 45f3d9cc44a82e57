// A model compiled for residuals: its measured quantities, their slopes by the free parameters, and a place to put them.
#pragma once
#include "residual/sample_times.h"
#include "simulate/simulate.h"

typedef struct Rig {
  Arena *arena;
  Model *model;
  // Compiled when they are asked for: see rig_work.
  System *system;
  SimulateWork *work;
  SimulateWork *quick; // of less accuracy
  struct Rig *plain;   // the same without slopes
  bool has_quick;      // false: it would not be less
  SimulateOptions options, quick_options;
  const Problem *problem;
  Expr *output;
  double *p;           // all parameters of the model
  int *parameters;     // free ones, without repetition
  int parameter_count; // slopes per output
  int outputs;         // measured quantities, then their rates where a delay needs them
  int *rate;           // by measured quantity: its output, -1 = none
  double **column;     // [output], then [output*parameter_count + k]
  Trajectory trajectory;
} Rig;

// rows: the most that a simulation gives.
Rig *rig_new(const Problem *p, Model *m, const SimulateOptions *options, int rows);
void rig_free(Rig *r);
// What to run for slopes or values alone, with little accuracy or that of the options. Values cost less without the
// sensitivity equations.
SimulateWork *rig_work(Rig *r, bool quick, bool slopes);
const SimulateOptions *rig_options(const Rig *r, bool quick);
// Slopes of an output by free parameter k (position in parameters).
static inline const double *rig_slope(const Rig *r, int output, int k) {
  return r->column[r->outputs + output * r->parameter_count + k];
}
