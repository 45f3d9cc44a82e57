// S, what the linear model of the residuals leaves out of the second derivatives of the objective (R'R + S), from the change
// of slopes along the steps. Where residuals stay large it turns the slow linear convergence of Gauss-Newton steps into a fast
// one.
#pragma once
#include "local/lsq.h"

typedef struct Curvature Curvature;

Curvature *curvature_new(Arena *a, int n);
// After a step. slopes: R'Qr at both ends. Does not allocate; neither do the others.
void curvature_update(Curvature *c, const LsqPoint *from, const double *from_slope,
                      const LsqPoint *to, const double *to_slope);
// Part of the gain of a step that it explains: -d'Sd/2.
double curvature_gain(const Curvature *c, const double *d);
// A triangle R and Qr with R'R = (that of p) + S and R'Qr = slope. False when the sum is not positive definite in scaled
// unknowns: R and Qr are then of no use.
bool curvature_model(Curvature *c, const LsqPoint *p, const double *slope, const double *scale,
                     double *R, double *Qr);
