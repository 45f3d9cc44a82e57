// Residuals and their slopes from a simulation that has just been made, in blocks of rows that stay in the first cache.
#pragma once
#include "residual/simulation.h"

enum { RESIDUAL_ROWS_MOST = 128 }; // of a block

typedef struct ResidualColumns { // room for one block
  double **column; // [0 .. n-1] slopes, [n] residuals; RESIDUAL_ROWS_MOST numbers each
  double *model;   // as many values
} ResidualColumns;

ResidualColumns *residual_columns_new(Arena *a, int n);
// Hands every block of the experiment to the sink. r: what was simulated.
void residual_blocks(const SimulationWork *w, const EvalSpec *spec, const ModelRun *r,
                     int experiment, bool slopes, const ResidualColumns *room, ResidualSink *sink,
                     void *data);
