#include "hand/car.h"

#include <math.h>

TyreForce tyre_force(const Tyre *t, double Fz, double kappa, double alpha) {
  TyreForce f;
  double dfz = (Fz - t->Fz0) / t->Fz0;
  double Dx = (t->Dx1 + t->Dx2 * dfz) * Fz, Ex = t->Ex1 + t->Ex2 * dfz;
  f.Kx = Fz * (t->Kx1 + t->Kx2 * dfz) * exp(t->Kx3 * dfz);
  double bx = f.Kx / (t->Cx * Dx + 0.001) * kappa;
  double Dy = (t->Dy1 + t->Dy2 * dfz) * Fz, Ey = t->Ey1 + t->Ey2 * dfz;
  f.Ky = t->Ky1 * t->Fz0 * sin(2 * atan(Fz / (t->Ky2 * t->Fz0)));
  double by = f.Ky / (t->Cy * Dy + 0.001) * alpha;
  f.Gxa = cos(t->rCx1 * atan(t->rBx1 * cos(atan(t->rBx2 * kappa)) * alpha));
  f.Gyk = cos(t->rCy1 * atan(t->rBy1 * cos(atan(t->rBy2 * alpha)) * kappa));
  f.Fx = f.Gxa * Dx * sin(t->Cx * atan(bx - Ex * (bx - atan(bx))));
  f.Fy = -f.Gyk * Dy * sin(t->Cy * atan(by - Ey * (by - atan(by))));
  return f;
}

double table_value(double t, int n, const double *at, const double *value) {
  if (t <= at[0]) return value[0];
  for (int i = 1; i < n; i++)
    if (t < at[i])
      return value[i - 1] + (value[i] - value[i - 1]) * (t - at[i - 1]) / (at[i] - at[i - 1]);
  return value[n - 1];
}
