// Errors of several experiments taken together: one number for all windows of a record, as publications give it.
#pragma once
#include "stats/run_errors.h"
#include "stats/statistics.h"

typedef struct PooledError {
  const char *variable; // NULL: all variables of this unit
  const char *unit;
  const char *window; // NULL: all samples
  int experiments;    // that were simulated and have samples in it
  int failed;         // that could not be simulated: they are missing here
  long n;             // samples
  double rmse;        // root of the mean square of all of them
  double
      fit_percent; // 100*(1 - |y - model| / |y - mean y|), means by experiment; NaN: not known, or of a window
} PooledError;

typedef struct PooledErrors {
  ARRAY(PooledError) rows;
} PooledErrors;

// Of the fitted channels: each variable of several experiments, all variables with the same unit, and the same for each window
// that several of them have. run: errors in windows; NULL: not known. None if there is one experiment.
PooledErrors pooled_of_fit(Arena *a, const Problem *p, const Statistics *s, const RunErrors *run);
// The same of simulations; NULL: none.
PooledErrors pooled_of_runs(Arena *a, const RunErrors *r);
