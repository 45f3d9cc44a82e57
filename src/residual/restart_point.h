// Restart points of the experiments of a problem (problem/restart.h): what a simulation knows there, and the rows before it, computed
// once by whoever needs it first and shared by all threads.
#pragma once
#include "residual/budget.h"
#include "residual/compiled_model.h"
#include "residual/sample_times.h"

typedef struct RestartPoint {
  double t;             // since the origin of the experiment
  double saved;         // time that a simulation saves
  SimulatePoint *point; // NULL: it could not be computed
  int rows;             // samples before it
  double **column;      // by output
} RestartPoint;

typedef struct RestartPoints RestartPoints;

// times: by experiment, with delays of 0. Keeps the pointers.
RestartPoints *restart_points_new(Arena *a, const CompiledModel *m, SampleTimes *const *times);
void restart_points_done(RestartPoints *all);
// Of an experiment; NULL: there is none. The work of making it goes into the budget, which may be NULL.
const RestartPoint *restart_point(RestartPoints *all, int experiment, Budget *budget);
// The time, NaN: none. Makes nothing.
double restart_point_time(const RestartPoints *all, int experiment);
