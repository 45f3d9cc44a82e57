// High irradiance responses of photomorphogenesis (Schaefer 1975); constants as in the Test Set for IVP Solvers.
#include "hand/hand.h"

enum { K1, K2, K3, K4, K5, K6, KP, KM, KS, OKS, PARAMETERS };

static void rhs(double t, const double *x, const double *p, double *dx) {
  (void)t;
  dx[0] = -p[K1] * x[0] + p[K2] * x[1] + p[K6] * x[2] + p[OKS];
  dx[1] = p[K1] * x[0] - (p[K2] + p[K3]) * x[1];
  dx[2] = -(p[K6] + p[K1]) * x[2] + p[K2] * x[3] + p[K5] * x[4];
  dx[3] = p[K3] * x[1] + p[K1] * x[2] - (p[K4] + p[K2]) * x[3];
  dx[4] = -(p[K1] + p[K5]) * x[4] + p[K2] * (x[5] + x[6]);
  dx[5] = -p[KP] * x[5] * x[7] + p[K4] * x[3] + p[K1] * x[4] - p[K2] * x[5] + p[KM] * x[6];
  dx[6] = p[KP] * x[5] * x[7] - (p[K2] + p[KM] + p[KS]) * x[6];
  dx[7] = -dx[6];
}

static void jacobian(double t, const double *x, const double *p, double *J) {
  (void)t;
#define AT(i, j) J[8 * (j) + (i)]
  AT(0, 0) = -p[K1];
  AT(0, 1) = p[K2];
  AT(0, 2) = p[K6];
  AT(1, 0) = p[K1];
  AT(1, 1) = -(p[K2] + p[K3]);
  AT(2, 2) = -(p[K6] + p[K1]);
  AT(2, 3) = p[K2];
  AT(2, 4) = p[K5];
  AT(3, 1) = p[K3];
  AT(3, 2) = p[K1];
  AT(3, 3) = -(p[K4] + p[K2]);
  AT(4, 4) = -(p[K1] + p[K5]);
  AT(4, 5) = p[K2];
  AT(4, 6) = p[K2];
  AT(5, 3) = p[K4];
  AT(5, 4) = p[K1];
  AT(5, 5) = -p[KP] * x[7] - p[K2];
  AT(5, 6) = p[KM];
  AT(5, 7) = -p[KP] * x[5];
  AT(6, 5) = p[KP] * x[7];
  AT(6, 6) = -(p[K2] + p[KM] + p[KS]);
  AT(6, 7) = p[KP] * x[5];
  AT(7, 5) = -AT(6, 5);
  AT(7, 6) = -AT(6, 6);
  AT(7, 7) = -AT(6, 7);
#undef AT
}

static void sens(double t, const double *x, const double *const *sensitivities, const double *p,
                 double *const *ds) {
  (void)t;
  double to_bound = p[KP] * x[7], to_free = p[KP] * x[5];
  for (int k = 0; k < PARAMETERS; k++) {
    const double *s = sensitivities[k];
    double *d = ds[k], binding = to_bound * s[5] + to_free * s[7];
    d[0] = -p[K1] * s[0] + p[K2] * s[1] + p[K6] * s[2];
    d[1] = p[K1] * s[0] - (p[K2] + p[K3]) * s[1];
    d[2] = -(p[K6] + p[K1]) * s[2] + p[K2] * s[3] + p[K5] * s[4];
    d[3] = p[K3] * s[1] + p[K1] * s[2] - (p[K4] + p[K2]) * s[3];
    d[4] = -(p[K1] + p[K5]) * s[4] + p[K2] * (s[5] + s[6]);
    d[5] = -binding + p[K4] * s[3] + p[K1] * s[4] - p[K2] * s[5] + p[KM] * s[6];
    d[6] = binding - (p[K2] + p[KM] + p[KS]) * s[6];
    d[7] = -d[6];
  }
  ds[K1][0] -= x[0], ds[K1][1] += x[0], ds[K1][2] -= x[2], ds[K1][3] += x[2];
  ds[K1][4] -= x[4], ds[K1][5] += x[4];
  ds[K2][0] += x[1], ds[K2][1] -= x[1], ds[K2][2] += x[3], ds[K2][3] -= x[3];
  ds[K2][4] += x[5] + x[6], ds[K2][5] -= x[5], ds[K2][6] -= x[6], ds[K2][7] += x[6];
  ds[K3][1] -= x[1], ds[K3][3] += x[1];
  ds[K4][3] -= x[3], ds[K4][5] += x[3];
  ds[K5][2] += x[4], ds[K5][4] -= x[4];
  ds[K6][0] += x[2], ds[K6][2] -= x[2];
  ds[KP][5] -= x[5] * x[7], ds[KP][6] += x[5] * x[7], ds[KP][7] -= x[5] * x[7];
  ds[KM][5] += x[6], ds[KM][6] -= x[6], ds[KM][7] += x[6];
  ds[KS][6] -= x[6], ds[KS][7] += x[6];
  ds[OKS][0] += 1;
}

static const double P[] = {1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280, 0.69, 0.69, 0.0007};
static const double X0[] = {1, 0, 0, 0, 0, 0, 0, 0.0057};
static const char *const NAMES[] = {"k1", "k2",    "k3",     "k4",    "k5",
                                    "k6", "kplus", "kminus", "kstar", "oks"};

const HandModel HAND_HIRES = {.name = "HIRES",
                              .nx = 8,
                              .np = PARAMETERS,
                              .parameters = PARAMETERS,
                              .p = P,
                              .x0 = X0,
                              .rhs = rhs,
                              .jacobian = jacobian,
                              .sens = sens,
                              .parameter_names = NAMES};
