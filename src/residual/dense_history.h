// A simulation kept as polynomials, one for each step of the integrator, so that it can be followed backwards.
#pragma once
#include "simulate/simulate.h"

enum {
  HISTORY_NODES = 8
}; // of degree 7, that of rk8; the dense output of the others is of lower degree

typedef struct HistoryStep {
  double begin, end;
  double *values; // [node][number]
} HistoryStep;

typedef struct DenseHistory {
  Arena *arena, *store;        // of the history, of what is recorded
  int states, columns, stride; // as the System has them
  int width;                   // numbers: [x, S by rows: i*columns + k]
  ARRAY(HistoryStep) steps;
  int at;    // step that was read last
  double *y; // scratch: y of a stepper
} DenseHistory;

DenseHistory *history_new(const System *s);
void history_free(DenseHistory *t); // NULL is allowed
void history_clear(DenseHistory *t);
// As Trajectory.stepped; the data is the history.
void history_record(void *history, Stepper *s);
// Number of the step that ends at or after the time and begins before it. Fast when times follow each other.
int history_find(DenseHistory *t, double time);
// The first `count` numbers at a time of the simulation. Does not allocate.
void history_read(DenseHistory *t, double time, int count, double *values);
