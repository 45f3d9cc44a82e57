// Records every reported step of a fit, for --trace.
#pragma once
#include "search/fit.h"

typedef struct FitTrace FitTrace;

typedef struct FitTracePoint { // a step
  const char *stage;
  double lambda, objective;
  int iteration;
  long simulations; // so far, with and without sensitivities
  double *x;        // by unknown
} FitTracePoint;

FitTrace *fit_trace_new(const Problem *p); // keeps the pointer
void fit_trace_free(FitTrace *t);
// Records a step; a repeated report of the same step is ignored (listeners are also called between steps).
void fit_trace_add(FitTrace *t, const FitProgress *p);
int fit_trace_count(const FitTrace *t);
const FitTracePoint *fit_trace_point(const FitTrace *t, int i);
// stage,lambda,iteration,objective,parameters...
void fit_trace_csv(const FitTrace *t, Text *out);
