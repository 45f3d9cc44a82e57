// The objective over one or two numbers, all others fixed, with the model tied to the data or free.
#pragma once
#include "base/err.h"
#include "search/fit_result.h"

enum { SCAN_AXES = 2, SCAN_POINTS_MOST = 4000000 };

typedef struct ScanAxis { // a number that varies
  const char *name; // of an unknown; k means all of k[swing], k[fall], ... if there is no k itself
  double from, to;  // both included; one point: from
  int count;
  bool log; // points with equal ratios
  // Filled by scan_run:
  const char *unit;
  int *numbers, number_count; // unknowns that it moves
  double min, max;            // their bounds
} ScanAxis;

typedef struct ScanRequest {
  const ScanAxis *axes;
  int axis_count;
  const double *lambda; // NULL: only 0, the free model
  int lambda_count;
  const double *x;    // all unknowns; NULL: their start values
  bool log_objective; // of pictures
} ScanRequest;

typedef struct ObjectiveScan {
  Arena *arena;
  const Problem *problem;
  ScanAxis axes[SCAN_AXES];
  int axis_count;
  double *lambda;
  int lambda_count;
  int points; // of one lambda
  // [number of lambda * points + point], the first axis is the fastest; NaN: could not be simulated, or not done.
  double *objective;
  int done;        // of all points, in this order; some behind them may be done, too
  int done_before; // while it runs: those of the parts that are whole
  int *best;       // by lambda: the point with the least objective, -1: none
  const double *x;
  const double
      *sigma; // by channel: what residuals are divided by; those that are estimated belong to x
  bool log_objective;
  int failed; // points that could not be simulated
  ARRAY(FitFailure) failures;
  WorkCount work;
  FitCut cut; // what ended it before all was done
} ObjectiveScan;

double scan_value(const ScanAxis *axis, int k);
// Whether an axis leaves the bounds of its number.
bool scan_leaves_bounds(const ScanAxis *axis);

// Called from time to time. Return false to stop: what is done is kept.
typedef bool ScanListener(void *data, const ObjectiveScan *scan);

// Bounds and constraints do not matter. NULL: err.
ObjectiveScan *scan_run(const Problem *p, const ScanRequest *q, ScanListener *listener, void *data,
                        Err *err);
void scan_free(ObjectiveScan *s); // NULL is allowed
