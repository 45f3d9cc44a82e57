// Steps of the linear model Qr + R d of the residuals: damped, inside bounds.
#pragma once
#include "base/arena.h"

typedef struct LinearModel {
  int n;
  const double *R, *Qr;     // as in LsqPoint
  const double *scale;      // > 0; damping acts on scale*d
  const double *low, *high; // of d, low <= 0 <= high
} LinearModel;

typedef struct LinearWork LinearWork; // scratch; one per search

LinearWork *linear_new(Arena *a, int n);

// d minimises |Qr + R d|^2 + damping*|scale d|^2 over the unknowns i with use[i] (NULL: all), the others do not move; bounds
// are ignored. damping > 0; the least one (linear_least_damping) gives the step of least norm when R has no full rank.
// Does not allocate; neither do the others. When patience is over, d is 0.
void linear_step(LinearWork *w, const LinearModel *m, double damping, const int *use, double *d);
// The same with low <= d <= high, which is met exactly.
void linear_boxed_step(LinearWork *w, const LinearModel *m, double damping, double *d);

// Damping that is lost in the rounding errors of R.
double linear_least_damping(const LinearModel *m);
// |Qr|^2/2 - |Qr + R d|^2/2: what the step gains if the model is right.
double linear_gain(const LinearModel *m, const double *d);
// |scale d|
double linear_size(const LinearModel *m, const double *d);
// slope[i] = (R'Qr)[i], norm[i] = |column i of R|; norm may be NULL
void linear_slope(int n, const double *R, const double *Qr, double *slope, double *norm);
