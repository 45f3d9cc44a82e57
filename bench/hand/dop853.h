// Explicit Runge-Kutta of order 8 (DOP853) with dense output of order 7, written by hand and tuned: the comparator of
// entrain's own integrator. Dimensions at run time, the right-hand side by function pointer, states and sensitivities
// in one vector, all of it in the error test.
#pragma once
#include <stdbool.h>

#include "hand/hand.h"

typedef struct Dop853 Dop853;
typedef struct Dop853Count {
  long steps, rejected, rhs;
} Dop853Count;

Dop853 *dop853_new(int n);
void dop853_free(Dop853 *w);
int dop853_stride(const Dop853 *w); // numbers in a row of out: n, rounded up to a multiple of four
Dop853Count dop853_count(const Dop853 *w);
// out[i] = y(times[i]); y0 holds at times[0]. false: the step became too small. Does not allocate.
bool dop853_run(Dop853 *w, HandRhs *f, const double *p, double rel_tol, double abs_tol,
                const double *y0, const double *times, int count, double *out);
// Rows `first` to `first + count - 1` as soon as they are known, at most DOP853_BLOCK; false ends the integration.
enum { DOP853_BLOCK = 64 };
typedef bool Dop853Sink(void *self, int first, int count, const double *rows);
// The same, handing rows over instead of keeping them. false also when the sink ended it.
bool dop853_stream(Dop853 *w, HandRhs *f, const double *p, double rel_tol, double abs_tol,
                   const double *y0, const double *times, int count, Dop853Sink *sink, void *self);
