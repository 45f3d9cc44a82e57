// Start values without any simulation: the equations multiplied by bumps and integrated by parts (modulating functions),
// with data in place of the states.
#pragma once
#include "problem/problem.h"

// Where all states of some equations are known from the data (measured directly, through a known gain and offset, or as a
// derivative of a measured state), solves those equations for the unknowns in them by bounded least squares; linear ones
// in one step, others from several starts. Unknown start values of such states are read off the data.
// x: unknowns, start on entry; found[i] says which were determined, the others stay. Returns how many were,
// 0 when patience is over. facts: may be NULL.
typedef struct WeakFacts {
  long evaluated; // numbers computed at points of the data: what it cost
  char why
      [240]; // "c: der(omega) also contains z, which is not measured": of the first that was not found, else ""
} WeakFacts;

int weak_start(const Problem *p, double *x, bool *found, WeakFacts *facts);
