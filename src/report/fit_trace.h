// Every step of a fit as it was told, for --trace.
#pragma once
#include "search/fit.h"

typedef struct FitTrace FitTrace;

FitTrace *fit_trace_new(const Problem *p); // keeps the pointer
void fit_trace_free(FitTrace *t);
// Notes a step; what was told before is not noted again (a listener is asked between steps, too).
void fit_trace_add(FitTrace *t, const FitProgress *p);
int fit_trace_count(const FitTrace *t);
// stage,lambda,iteration,objective,parameters...
void fit_trace_csv(const FitTrace *t, Text *out);
