// Records every reported step of a fit, for --trace.
#pragma once
#include "search/fit.h"

typedef struct FitTrace FitTrace;

FitTrace *fit_trace_new(const Problem *p); // keeps the pointer
void fit_trace_free(FitTrace *t);
// Records a step; a repeated report of the same step is ignored (listeners are also called between steps).
void fit_trace_add(FitTrace *t, const FitProgress *p);
int fit_trace_count(const FitTrace *t);
// stage,lambda,iteration,objective,parameters...
void fit_trace_csv(const FitTrace *t, Text *out);
