// A model compiled for residuals: its measured quantities, their slopes by the free parameters, and a place to put them.
#pragma once
#include "estimate/plan.h"
#include "simulate/simulate.h"

typedef struct Rig {
  Arena *arena;
  Model *model;
  System *system;
  SimulateWork *work;
  SimulateWork *quick; // of less accuracy, NULL when it would not be less
  double rel_tol, quick_rel_tol;
  struct Rig *plain; // the same without slopes, NULL until it is asked for
  const SimulateOptions *options;
  const Problem *problem;
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
// Slopes of an output by free parameter k (position in parameters).
static inline const double *rig_slope(const Rig *r, int output, int k) {
  return r->column[r->outputs + output * r->parameter_count + k];
}
