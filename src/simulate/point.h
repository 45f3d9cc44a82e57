// Everything that a simulation knows at one time, from which others go on as it would have done itself: a run that begins
// anew at a mark (SimulateRequest) and another one from there give the same numbers, bit for bit. Any system of the same
// model may go on from it, with other outputs, sensitivities or lanes; columns of sensitivities belong to the system that
// left them.
#pragma once
#include "model/system.h"
#include "simulate/trajectory.h"

typedef struct SimulatePoint {
  SimulateStart start; // to go on from; its time is where the point is wanted
  bool taken;          // a simulation has been there
  double *x, *sens;
  double *roots; // see system_branch_write
  int root_count;
  char *memory; // of events, invariants and assertions
  double rate;  // of stabilisation
  int in_use, switches;
  long crowd; // of events, see simulate.c
  double crowd_since;
} SimulatePoint;

// The numbers of a stepper (stepper.h) there, where y holds those of the start.
void simulate_start_states(const SimulateStart *from, const System *s, double *y);
