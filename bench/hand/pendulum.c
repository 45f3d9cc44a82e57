#include "hand/hand.h"

#include <math.h>

enum { THETA, OMEGA };

static void rhs(double t, const double *x, const double *p, double *dx) {
  (void)t;
  dx[THETA] = x[OMEGA];
  dx[OMEGA] = -p[0] * sin(x[THETA]);
}

static void jacobian(double t, const double *x, const double *p, double *J) {
  (void)t;
  J[2] = 1;
  J[1] = -p[0] * cos(x[THETA]);
}

static void rhs_sens(double t, const double *x, const double *p, double *dx) {
  (void)t;
  const double *s = x + 2;
  double *ds = dx + 2;
  double sine = sin(x[THETA]), cosine = cos(x[THETA]);
  dx[THETA] = x[OMEGA];
  dx[OMEGA] = -p[0] * sine;
  ds[THETA] = s[OMEGA];
  ds[OMEGA] = -p[0] * cosine * s[THETA] - sine;
}

static void sens(double t, const double *x, const double *const *s, const double *p,
                 double *const *ds) {
  (void)t;
  ds[0][THETA] = s[0][OMEGA];
  ds[0][OMEGA] = -p[0] * cos(x[THETA]) * s[0][THETA] - sin(x[THETA]);
}

static const double P[] = {10};
static const double X0[] = {0.5235987755982988, 0}; // pi/6
static const char *const NAMES[] = {"p"};

const HandModel HAND_PENDULUM = {.name = "pendulum",
                                 .nx = 2,
                                 .np = 1,
                                 .parameters = 1,
                                 .p = P,
                                 .x0 = X0,
                                 .rhs = rhs,
                                 .rhs_sens = rhs_sens,
                                 .jacobian = jacobian,
                                 .jacobian_time = jacobian,
                                 .sens = sens,
                                 .parameter_names = NAMES};
