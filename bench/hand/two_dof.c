// u'' + 0.3 u' + u + C1 u^3 + C2 v = 0,  v'' + 0.3 v' + v + C3 v^3 + cos t = 0
#include "hand/hand.h"

#include <math.h>

enum { U, DU, V, DV };
enum { C1, C2, C3 };

static void rhs(double t, const double *x, const double *p, double *dx) {
  dx[U] = x[DU];
  dx[DU] = -0.3 * x[DU] - x[U] - p[C1] * x[U] * x[U] * x[U] - p[C2] * x[V];
  dx[V] = x[DV];
  dx[DV] = -0.3 * x[DV] - x[V] - p[C3] * x[V] * x[V] * x[V] - cos(t);
}

static void jacobian(double t, const double *x, const double *p, double *J) {
  (void)t;
  J[4 * DU + U] = 1;
  J[4 * U + DU] = -1 - 3 * p[C1] * x[U] * x[U];
  J[4 * DU + DU] = -0.3;
  J[4 * V + DU] = -p[C2];
  J[4 * DV + V] = 1;
  J[4 * V + DV] = -1 - 3 * p[C3] * x[V] * x[V];
  J[4 * DV + DV] = -0.3;
}

static void jacobian_time(double t, const double *x, const double *p, double *J) {
  jacobian(t, x, p, J);
  J[16 + DV] = sin(t);
}

static void rhs_sens(double t, const double *x, const double *p, double *dx) {
  double u2 = x[U] * x[U], u3 = u2 * x[U], v2 = x[V] * x[V], v3 = v2 * x[V];
  double du_by_u = -1 - 3 * p[C1] * u2, dv_by_v = -1 - 3 * p[C3] * v2, d = 0.3;
  double by_p[3] = {-u3, -x[V], 0};
  dx[U] = x[DU];
  dx[DU] = -d * x[DU] - x[U] - p[C1] * u3 - p[C2] * x[V];
  dx[V] = x[DV];
  dx[DV] = -d * x[DV] - x[V] - p[C3] * v3 - cos(t);
  for (int k = 0; k < 3; k++) {
    const double *s = x + 4 + 4 * k;
    double *ds = dx + 4 + 4 * k;
    ds[U] = s[DU];
    ds[DU] = du_by_u * s[U] - d * s[DU] - p[C2] * s[V] + by_p[k];
    ds[V] = s[DV];
    ds[DV] = dv_by_v * s[V] - d * s[DV];
  }
  dx[4 + 4 * 2 + DV] -= v3;
}

static void sens(double t, const double *x, const double *const *s, const double *p,
                 double *const *ds) {
  (void)t;
  double u2 = x[U] * x[U], v2 = x[V] * x[V];
  double du_by_u = -1 - 3 * p[C1] * u2, dv_by_v = -1 - 3 * p[C3] * v2, d = 0.3;
  double by_p[3] = {-u2 * x[U], -x[V], 0};
  for (int k = 0; k < 3; k++) {
    ds[k][U] = s[k][DU];
    ds[k][DU] = du_by_u * s[k][U] - d * s[k][DU] - p[C2] * s[k][V] + by_p[k];
    ds[k][V] = s[k][DV];
    ds[k][DV] = dv_by_v * s[k][V] - d * s[k][DV];
  }
  ds[2][DV] -= v2 * x[V];
}

static const double P[] = {1, 0.5, 0.5};
static const double X0[] = {1, 0, 0, 0};
static const char *const NAMES[] = {"C1", "C2", "C3"};

const HandModel HAND_TWO_DOF = {.name = "two-DOF",
                                .nx = 4,
                                .np = 3,
                                .parameters = 3,
                                .p = P,
                                .x0 = X0,
                                .rhs = rhs,
                                .rhs_sens = rhs_sens,
                                .jacobian = jacobian,
                                .jacobian_time = jacobian_time,
                                .sens = sens,
                                .parameter_names = NAMES};
