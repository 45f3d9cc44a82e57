#include "hand/hand.h"

enum { K1, K2, K3 };

// k1 = 0.04, k2 = 3e7, k3 = 1e4
static void rhs(double t, const double *x, const double *p, double *dx) {
  (void)t;
  double r1 = p[K1] * x[0], r2 = p[K2] * x[1] * x[1], r3 = p[K3] * x[1] * x[2];
  dx[0] = -r1 + r3;
  dx[1] = r1 - r2 - r3;
  dx[2] = r2;
}

static void jacobian(double t, const double *x, const double *p, double *J) {
  (void)t;
  J[0] = -p[K1];
  J[1] = p[K1];
  J[3] = p[K3] * x[2];
  J[4] = -2 * p[K2] * x[1] - p[K3] * x[2];
  J[5] = 2 * p[K2] * x[1];
  J[6] = p[K3] * x[1];
  J[7] = -p[K3] * x[1];
}

static void sens(double t, const double *x, const double *const *s, const double *p,
                 double *const *ds) {
  (void)t;
  double by_k[3] = {x[0], x[1] * x[1], x[1] * x[2]};
  for (int k = 0; k < 3; k++) {
    double r1 = p[K1] * s[k][0], r2 = 2 * p[K2] * x[1] * s[k][1];
    double r3 = p[K3] * (s[k][1] * x[2] + x[1] * s[k][2]);
    if (k == K1) r1 += by_k[k];
    if (k == K2) r2 += by_k[k];
    if (k == K3) r3 += by_k[k];
    ds[k][0] = -r1 + r3;
    ds[k][1] = r1 - r2 - r3;
    ds[k][2] = r2;
  }
}

static const double P[] = {0.04, 3e7, 1e4};
static const double X0[] = {1, 0, 0}, NOMINAL[] = {1, 1e-5, 1};
static const char *const NAMES[] = {"k1", "k2", "k3"};

const HandModel HAND_ROBERTSON = {.name = "Robertson",
                                  .nx = 3,
                                  .np = 3,
                                  .parameters = 3,
                                  .p = P,
                                  .x0 = X0,
                                  .nominal = NOMINAL,
                                  .rhs = rhs,
                                  .jacobian = jacobian,
                                  .sens = sens,
                                  .parameter_names = NAMES};
