// The vehicles of examples/vehicles (vehicle14a.mo, vehicle56.mo) as an engineer writes them in C: parameters as constants, loops
// over the wheels, tables by a loop over their points.
#pragma once

typedef struct HandCar {
  const char *name, *model; // file of the model
  int nx;
  double t_end;
  const double *breaks; // where functions of time have kinks or jumps
  int break_count;
  void (*start)(double *x);
  void (*rhs)(double t, const double *x, double *dx);
} HandCar;

extern const HandCar HAND_CAR14, HAND_CAR56;

typedef struct Tyre { // parameters of the Magic Formula
  double Fz0, Cx, Dx1, Dx2, Ex1, Ex2, Kx1, Kx2, Kx3, Cy, Dy1, Dy2, Ey1, Ey2, Ky1, Ky2;
  double rBx1, rBx2, rCx1, rBy1, rBy2, rCy1;
} Tyre;

typedef struct TyreForce {
  double Fx, Fy;   // in the wheel plane and across it
  double Gxa, Gyk; // weights of combined slip
  double Kx, Ky;   // slip stiffness
} TyreForce;

TyreForce tyre_force(const Tyre *t, double Fz, double kappa, double alpha);
// Straight between points, constant outside.
double table_value(double t, int n, const double *at, const double *value);
