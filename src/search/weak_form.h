// The parts of the weak form that weak.c puts together: what the data say about states and equations, the numbers on a grid of
// points, the integrals over windows.
#pragma once
#include "expr/derive.h"
#include "local/lsq.h"
#include "model/system.h"
#include "num/qr.h"
#include "problem/problem.h"

enum {
  WEAK_LEVEL_MOST = 2, // a state may be the second derivative of a measured one
  WEAK_HALF_LEAST = 7, // samples in half a window
};

typedef struct WeakKnown { // how a state follows from the data
  int channel;             // -1: it does not
  int level;               // it is the derivative of this order of what the channel measures
} WeakKnown;

typedef struct WeakEquation { // der(x_state) = f, one of those that can be used somewhere
  int state;
  Expr f; // with conditions in place of modes
} WeakEquation;

// An experiment on its grid of equally spaced points, which are the samples themselves where those are equally spaced.
typedef struct WeakRun {
  const Experiment *experiment;
  WeakKnown *known; // by state
  Expr *gain;       // by channel that makes a state known: measured = gain*state + offset
  Expr *offset;
  int *inverse;  // by channel: which output of the system of inverses its gain is; -1: not used
  bool *usable;  // by equation
  int *free;     // by column of slopes: its number among problem->unknowns here, -1 = none
  int *unknown;  // by column of slopes: which unknown of the equations it is here, -1 = none
  double *p;     // all parameters
  Input **curve; // by channel: its state over time, NULL when not used
  double **data; // by channel: the curve on the grid
  double first, step;
  int points;
  double *x;       // [point][state]
  double *spacing; // by point: between the samples around it
  double *out;     // [point][output]
  double quarter;  // of the dominant period
  // of one width
  int half, windows;
  int *center;   // by window
  double *fixed; // [equation][window]: the part that no parameter changes
  double *phi;   // the bump times the step, by point of a window
  double *scale; // by equation: what residuals are multiplied with
  int *pieces;   // of inputs
  int inputs;
} WeakRun;

typedef struct Weak {
  const Problem *problem;
  Model *model;
  Arena *arena;
  Expr *f; // by state: its derivative, with conditions in place of modes
  WeakEquation *equations;
  int equation_count;
  int *parameters, parameter_count; // columns of slopes
  Derivatives slopes;               // of f by parameters
  System *system;                   // outputs: f, then slopes
  int outputs;
  SystemWork *work;
  System
      *inverses; // outputs: gain and offset of each kind of channel, the same for many experiments
  SystemWork *inverse_work;
  long evaluated;                // outputs, for the tests of cost
  bool computed, not_computable; // at some numbers the equations could be computed; could not
  WeakRun *runs;
  int run_count;
  bool linear;
  int *unknowns; // by unknown: number among problem->unknowns
  int n;         // unknowns
  double *lower, *upper, *typical;
  bool *seen;      // by unknown: it changes the residuals
  double *x;       // all unknowns
  double **column; // rows of one equation of one experiment: slopes, residual
  int row_room;
  QrSum *sum;
  double *values; // of outputs
} Weak;

// weak_structure.c. The first two extend the graph of the model, whose lock must be held.
void weak_find_structure(Weak *w, Arena *scratch);
void weak_derive_slopes(Weak *w, Arena *scratch);
// After the experiments are prepared: those whose data are of no use bring in no unknowns.
void weak_number_unknowns(Weak *w);

// weak_reason.c
int weak_state_of_start(const Model *m, int parameter); // whose start value it is, -1 = none
// Why an unknown was not found, a clause. Reads the graph of the model, whose lock must be held.
const char *weak_reason(const Weak *w, const Unknown *f, Arena *a);

// weak_grid.c
void weak_compile(Weak *w, Arena *scratch);
void weak_prepare_runs(Weak *w, Arena *scratch);
void weak_enter_run(SystemWork *work, WeakRun *r); // its parameters and inputs count from now on
static inline double weak_point_time(const WeakRun *r, int point) {
  return r->first + point * r->step;
}

// weak_windows.c
void weak_use_width(Weak *w, double width); // in quarters of the dominant period of each experiment
int weak_row_count(const Weak *w);          // residuals
int weak_group_count(const Weak *w);        // equations of all experiments
LsqEnd weak_eval(void *self, LsqPoint *out, double abandon_above, bool slopes);
// Equations, and experiments, count by how well they were met at the last evaluation: their residuals get the same size.
void weak_reweight(Weak *w);
