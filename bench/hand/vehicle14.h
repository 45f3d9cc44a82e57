// The vehicle of models/vehicle14.mo, written by hand.
#pragma once
#include "hand/hand.h"

typedef struct
    Vehicle14 { // parameters in the order of the model file; the last group follows from the others
  double mc, ms, kf, kr, cf, cr, wf, wr, lf, lr, g, Ixx, Iyy, Izz, Ixz, hcg, Jw, R0, kt, ct, soft;
  double fr, oms, vlow;
  double Fz0, pCx1, pDx1, pDx2, pEx1, pEx2, pKx1, pKx2, pKx3;
  double pCy1, pDy1, pDy2, pEy1, pEy2, pKy1, pKy2, rBx1, rBx2, rCx1, rBy1, rBy2, rCy1;
  double v0, Tc, Ta, wt, d0, wd, toe;
  double L, mt, Fsf, Fsr, z0f, z0r, Sx, J33, Ct, St;
} Vehicle14;

enum { VEHICLE14_STATES = 24 };

void vehicle14_parameters(Vehicle14 *c);
void vehicle14_start(const Vehicle14 *c, double *x);
void vehicle14_rhs(double t, const double *x, const double *p, double *dx); // p: a Vehicle14
// Dense, by columns, entries that are always 0 left alone; the second with df/dt as one more column. C text that
// derive.py makes from models/vehicle14.mo when the benchmark is built.
void vehicle14_jacobian(double t, const double *x, const double *p, double *J);
void vehicle14_jacobian_time(double t, const double *x, const double *p, double *J);
