// A simulation kept as polynomials, one for each step of the integrator, so that it can be followed backwards.
#pragma once
#include "simulate/simulate.h"

enum {
  TAPE_NODES = 8
}; // of degree 7, that of rk8; the dense output of the others is of lower degree

typedef struct TapeStep {
  double begin, end;
  double *values; // [node][number]
} TapeStep;

typedef struct Tape {
  Arena *arena, *store;        // of the tape, of what is recorded
  int states, columns, stride; // as the System has them
  int width;                   // numbers: [x, S by rows: i*columns + k]
  ARRAY(TapeStep) steps;
  int at;    // step that was read last
  double *y; // scratch: y of a stepper
} Tape;

Tape *tape_new(const System *s);
void tape_free(Tape *t); // NULL is allowed
void tape_clear(Tape *t);
// As Trajectory.stepped; the data is the tape.
void tape_record(void *tape, Stepper *s);
// Number of the step that ends at or after the time and begins before it. Fast when times follow each other.
int tape_find(Tape *t, double time);
// The first `count` numbers at a time of the simulation. Does not allocate.
void tape_read(Tape *t, double time, int count, double *values);
