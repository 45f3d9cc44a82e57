// Van der Pol-Duffing: x'' = mu (1 - x^2) x' - alpha x - beta x^3 + 0.5 cos(0.79 t)
#include "hand/hand.h"

#include <math.h>

enum { X, V };
enum { ALPHA, BETA, MU };

static void rhs(double t, const double *x, const double *p, double *dx) {
  dx[X] = x[V];
  dx[V] = p[MU] * (1 - x[X] * x[X]) * x[V] - p[ALPHA] * x[X] - p[BETA] * x[X] * x[X] * x[X] +
          0.5 * cos(0.79 * t);
}

static void jacobian(double t, const double *x, const double *p, double *J) {
  (void)t;
  J[2] = 1;
  J[1] = -2 * p[MU] * x[X] * x[V] - p[ALPHA] - 3 * p[BETA] * x[X] * x[X];
  J[3] = p[MU] * (1 - x[X] * x[X]);
}

static void jacobian_time(double t, const double *x, const double *p, double *J) {
  jacobian(t, x, p, J);
  J[5] = -0.5 * 0.79 * sin(0.79 * t);
}

static void rhs_sens(double t, const double *x, const double *p, double *dx) {
  double x2 = x[X] * x[X], x3 = x2 * x[X], gap = (1 - x2) * x[V];
  double by_x = -2 * p[MU] * x[X] * x[V] - p[ALPHA] - 3 * p[BETA] * x2;
  double by_v = p[MU] * (1 - x2);
  const double *s = x + 2;
  double *ds = dx + 2;
  dx[X] = x[V];
  dx[V] = p[MU] * gap - p[ALPHA] * x[X] - p[BETA] * x3 + 0.5 * cos(0.79 * t);
  ds[0] = s[1];
  ds[1] = by_x * s[0] + by_v * s[1] - x[X];
  ds[2] = s[3];
  ds[3] = by_x * s[2] + by_v * s[3] - x3;
  ds[4] = s[5];
  ds[5] = by_x * s[4] + by_v * s[5] + gap;
}

static void sens(double t, const double *x, const double *const *s, const double *p,
                 double *const *ds) {
  (void)t;
  double x2 = x[X] * x[X], gap = (1 - x2) * x[V];
  double by_x = -2 * p[MU] * x[X] * x[V] - p[ALPHA] - 3 * p[BETA] * x2;
  double by_v = p[MU] * (1 - x2);
  double by_p[3] = {-x[X], -x2 * x[X], gap};
  for (int k = 0; k < 3; k++) {
    ds[k][X] = s[k][V];
    ds[k][V] = by_x * s[k][X] + by_v * s[k][V] + by_p[k];
  }
}

static const double P[] = {0.5, 0.5, 0.1};
static const double X0[] = {1, 0};
static const char *const NAMES[] = {"alpha", "beta", "mu"};

const HandModel HAND_VDPD = {.name = "van der Pol-Duffing",
                             .nx = 2,
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
