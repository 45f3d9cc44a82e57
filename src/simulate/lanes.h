// Several simulations of one model side by side, which differ in their parameters. They take the same steps, those that the
// most demanding of them needs; what each computes is as accurate as it would be alone.
#pragma once
#include "simulate/simulate.h"

// Whether models of this kind can be simulated so with these options: explicit Runge-Kutta methods, no events, no
// invariants.
bool lanes_can(const Model *m, const SimulateOptions *options);
// How many side by side are fastest for this many states with this many columns of sensitivities.
int lanes_best(int states, int columns);

typedef struct LanesRequest { // what they share
  const Input *const *inputs;
  double origin, start;
  const SimulateStart *from; // as in SimulateRequest
  const double *times;
  int rows_before;
  int count;
  long max_steps; // 0: as the options say
  bool with_sens;
} LanesRequest;

typedef struct Lane {
  const double *p;       // all parameters
  double *const *column; // as in Trajectory; each has room for 4 rows more than there are times
  bool (*watch)(void *data, int rows); // now and then; false: this lane is abandoned
  void *watch_data;
  // the answer
  Outcome outcome;
  // It stands in the way of the others (it is stiff, or needs many times as many steps): there is no answer, and it has
  // to be simulated alone.
  bool alone;
  int rows;     // that are valid
  double t_end; // how far it came, as time in the model
  StepCount work;
  double steps; // about how many it would have needed alone
} Lane;

typedef struct LanesWork LanesWork; // one for each thread; may run many times

// Keeps the pointer; s->lanes > 1. The options are copied.
LanesWork *lanes_work_new(const System *s, const SimulateOptions *options);
void lanes_work_free(LanesWork *w); // NULL is allowed
// 1 <= count <= lanes of the system.
void lanes_run(LanesWork *w, const LanesRequest *request, Lane *lanes, int count);
