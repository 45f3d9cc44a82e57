// The air pollution problem (Verwer 1994): 20 species, 25 reactions; constants as in the Test Set for IVP Solvers.
#include "hand/hand.h"

enum { SPECIES = 20, REACTIONS = 25 };

// Sums what the reactions with rates r produce and consume.
static void balance(const double *r, double *dx) {
  dx[0] = -r[0] - r[9] - r[13] - r[22] - r[23] + r[1] + r[2] + r[8] + r[10] + r[11] + r[21] + r[24];
  dx[1] = -r[1] - r[2] - r[8] - r[11] + r[0] + r[20];
  dx[2] = -r[14] + r[0] + r[16] + r[18] + r[21];
  dx[3] = -r[1] - r[15] - r[16] - r[22] + r[14];
  dx[4] = -r[2] + r[3] + r[3] + r[5] + r[6] + r[12] + r[19];
  dx[5] = -r[5] - r[7] - r[13] - r[19] + r[2] + r[17] + r[17];
  dx[6] = -r[3] - r[4] - r[5] + r[12];
  dx[7] = r[3] + r[4] + r[5] + r[6];
  dx[8] = -r[6] - r[7];
  dx[9] = -r[11] + r[6] + r[8];
  dx[10] = -r[8] - r[9] + r[7] + r[10];
  dx[11] = r[8];
  dx[12] = -r[10] + r[9];
  dx[13] = -r[12] + r[11];
  dx[14] = r[13];
  dx[15] = -r[17] - r[18] + r[15];
  dx[16] = -r[19];
  dx[17] = r[19];
  dx[18] = -r[20] - r[21] - r[23] + r[22] + r[24];
  dx[19] = -r[24] + r[23];
}

static void rhs(double t, const double *y, const double *k, double *dy) {
  (void)t;
  const double r[REACTIONS] = {
      k[0] * y[0],         k[1] * y[1] * y[3],  k[2] * y[4] * y[1],  k[3] * y[6],
      k[4] * y[6],         k[5] * y[6] * y[5],  k[6] * y[8],         k[7] * y[8] * y[5],
      k[8] * y[10] * y[1], k[9] * y[10] * y[0], k[10] * y[12],       k[11] * y[9] * y[1],
      k[12] * y[13],       k[13] * y[0] * y[5], k[14] * y[2],        k[15] * y[3],
      k[16] * y[3],        k[17] * y[15],       k[18] * y[15],       k[19] * y[16] * y[5],
      k[20] * y[18],       k[21] * y[18],       k[22] * y[0] * y[3], k[23] * y[18] * y[0],
      k[24] * y[19]};
  balance(r, dy);
}

// One line an entry.
static void jacobian(double t, const double *y, const double *k, double *J) {
  (void)t;
  J[SPECIES * 0 + 0] = -k[0] - k[9] * y[10] - k[13] * y[5] - k[22] * y[3] - k[23] * y[18];
  J[SPECIES * 0 + 1] = k[0];
  J[SPECIES * 0 + 2] = k[0];
  J[SPECIES * 0 + 3] = -k[22] * y[3];
  J[SPECIES * 0 + 5] = -k[13] * y[5];
  J[SPECIES * 0 + 10] = -k[9] * y[10];
  J[SPECIES * 0 + 12] = k[9] * y[10];
  J[SPECIES * 0 + 14] = k[13] * y[5];
  J[SPECIES * 0 + 18] = -k[23] * y[18] + k[22] * y[3];
  J[SPECIES * 0 + 19] = k[23] * y[18];
  J[SPECIES * 1 + 0] = k[1] * y[3] + k[2] * y[4] + k[8] * y[10] + k[11] * y[9];
  J[SPECIES * 1 + 1] = -k[1] * y[3] - k[2] * y[4] - k[8] * y[10] - k[11] * y[9];
  J[SPECIES * 1 + 3] = -k[1] * y[3];
  J[SPECIES * 1 + 4] = -k[2] * y[4];
  J[SPECIES * 1 + 5] = k[2] * y[4];
  J[SPECIES * 1 + 9] = -k[11] * y[9] + k[8] * y[10];
  J[SPECIES * 1 + 10] = -k[8] * y[10];
  J[SPECIES * 1 + 11] = k[8] * y[10];
  J[SPECIES * 1 + 13] = k[11] * y[9];
  J[SPECIES * 2 + 2] = -k[14];
  J[SPECIES * 2 + 3] = k[14];
  J[SPECIES * 3 + 0] = -k[22] * y[0] + k[1] * y[1];
  J[SPECIES * 3 + 1] = -k[1] * y[1];
  J[SPECIES * 3 + 2] = k[16];
  J[SPECIES * 3 + 3] = -k[1] * y[1] - k[15] - k[16] - k[22] * y[0];
  J[SPECIES * 3 + 15] = k[15];
  J[SPECIES * 3 + 18] = k[22] * y[0];
  J[SPECIES * 4 + 0] = k[2] * y[1];
  J[SPECIES * 4 + 1] = -k[2] * y[1];
  J[SPECIES * 4 + 4] = -k[2] * y[1];
  J[SPECIES * 4 + 5] = k[2] * y[1];
  J[SPECIES * 5 + 0] = -k[13] * y[0];
  J[SPECIES * 5 + 4] = k[5] * y[6] + k[19] * y[16];
  J[SPECIES * 5 + 5] = -k[5] * y[6] - k[7] * y[8] - k[13] * y[0] - k[19] * y[16];
  J[SPECIES * 5 + 6] = -k[5] * y[6];
  J[SPECIES * 5 + 7] = k[5] * y[6];
  J[SPECIES * 5 + 8] = -k[7] * y[8];
  J[SPECIES * 5 + 10] = k[7] * y[8];
  J[SPECIES * 5 + 14] = k[13] * y[0];
  J[SPECIES * 5 + 16] = -k[19] * y[16];
  J[SPECIES * 5 + 17] = k[19] * y[16];
  J[SPECIES * 6 + 4] = k[3] + k[3] + k[5] * y[5];
  J[SPECIES * 6 + 5] = -k[5] * y[5];
  J[SPECIES * 6 + 6] = -k[3] - k[4] - k[5] * y[5];
  J[SPECIES * 6 + 7] = k[3] + k[4] + k[5] * y[5];
  J[SPECIES * 8 + 4] = k[6];
  J[SPECIES * 8 + 5] = -k[7] * y[5];
  J[SPECIES * 8 + 7] = k[6];
  J[SPECIES * 8 + 8] = -k[6] - k[7] * y[5];
  J[SPECIES * 8 + 9] = k[6];
  J[SPECIES * 8 + 10] = k[7] * y[5];
  J[SPECIES * 9 + 0] = k[11] * y[1];
  J[SPECIES * 9 + 1] = -k[11] * y[1];
  J[SPECIES * 9 + 9] = -k[11] * y[1];
  J[SPECIES * 9 + 13] = k[11] * y[1];
  J[SPECIES * 10 + 0] = -k[9] * y[0] + k[8] * y[1];
  J[SPECIES * 10 + 1] = -k[8] * y[1];
  J[SPECIES * 10 + 9] = k[8] * y[1];
  J[SPECIES * 10 + 10] = -k[8] * y[1] - k[9] * y[0];
  J[SPECIES * 10 + 11] = k[8] * y[1];
  J[SPECIES * 10 + 12] = k[9] * y[0];
  J[SPECIES * 12 + 0] = k[10];
  J[SPECIES * 12 + 10] = k[10];
  J[SPECIES * 12 + 12] = -k[10];
  J[SPECIES * 13 + 4] = k[12];
  J[SPECIES * 13 + 6] = k[12];
  J[SPECIES * 13 + 13] = -k[12];
  J[SPECIES * 15 + 2] = k[18];
  J[SPECIES * 15 + 5] = k[17] + k[17];
  J[SPECIES * 15 + 15] = -k[17] - k[18];
  J[SPECIES * 16 + 4] = k[19] * y[5];
  J[SPECIES * 16 + 5] = -k[19] * y[5];
  J[SPECIES * 16 + 16] = -k[19] * y[5];
  J[SPECIES * 16 + 17] = k[19] * y[5];
  J[SPECIES * 18 + 0] = -k[23] * y[0] + k[21];
  J[SPECIES * 18 + 1] = k[20];
  J[SPECIES * 18 + 2] = k[21];
  J[SPECIES * 18 + 18] = -k[20] - k[21] - k[23] * y[0];
  J[SPECIES * 18 + 19] = k[23] * y[0];
  J[SPECIES * 19 + 0] = k[24];
  J[SPECIES * 19 + 18] = k[24];
  J[SPECIES * 19 + 19] = -k[24];
}

// The sensitivities obey the same balance with linearised rates.
static void sens(double t, const double *y, const double *const *sensitivities, const double *k,
                 double *const *ds) {
  (void)t;
  const double by_k[REACTIONS] = {y[0],        y[1] * y[3], y[4] * y[1], y[6],         y[6],
                                  y[6] * y[5], y[8],        y[8] * y[5], y[10] * y[1], y[10] * y[0],
                                  y[12],       y[9] * y[1], y[13],       y[0] * y[5],  y[2],
                                  y[3],        y[3],        y[15],       y[15],        y[16] * y[5],
                                  y[18],       y[18],       y[0] * y[3], y[18] * y[0], y[19]};
  for (int j = 0; j < REACTIONS; j++) {
    const double *s = sensitivities[j];
    double r[REACTIONS] = {k[0] * s[0],
                           k[1] * (s[1] * y[3] + y[1] * s[3]),
                           k[2] * (s[4] * y[1] + y[4] * s[1]),
                           k[3] * s[6],
                           k[4] * s[6],
                           k[5] * (s[6] * y[5] + y[6] * s[5]),
                           k[6] * s[8],
                           k[7] * (s[8] * y[5] + y[8] * s[5]),
                           k[8] * (s[10] * y[1] + y[10] * s[1]),
                           k[9] * (s[10] * y[0] + y[10] * s[0]),
                           k[10] * s[12],
                           k[11] * (s[9] * y[1] + y[9] * s[1]),
                           k[12] * s[13],
                           k[13] * (s[0] * y[5] + y[0] * s[5]),
                           k[14] * s[2],
                           k[15] * s[3],
                           k[16] * s[3],
                           k[17] * s[15],
                           k[18] * s[15],
                           k[19] * (s[16] * y[5] + y[16] * s[5]),
                           k[20] * s[18],
                           k[21] * s[18],
                           k[22] * (s[0] * y[3] + y[0] * s[3]),
                           k[23] * (s[18] * y[0] + y[18] * s[0]),
                           k[24] * s[19]};
    r[j] += by_k[j];
    balance(r, ds[j]);
  }
}

static const double P[REACTIONS] = {0.35,  26.6,    12.3e3, 0.86e-3, 0.82e-3,  15e3,   0.13e-3,
                                    24e3,  16.5e3,  9e3,    0.022,   12e3,     1.88,   16.3e3,
                                    4.8e6, 0.35e-3, 0.0175, 1e8,     0.444e12, 1.24e3, 2.1,
                                    5.78,  0.0474,  1.78e3, 3.12};
static const double X0[SPECIES] = {
    [1] = 0.2, [3] = 0.04, [6] = 0.1, [7] = 0.3, [8] = 0.01, [16] = 0.007};
static const char *const NAMES[REACTIONS] = {
    "k1",  "k2",  "k3",  "k4",  "k5",  "k6",  "k7",  "k8",  "k9",  "k10", "k11", "k12", "k13",
    "k14", "k15", "k16", "k17", "k18", "k19", "k20", "k21", "k22", "k23", "k24", "k25"};

const HandModel HAND_POLLUTION = {.name = "Pollution",
                                  .nx = SPECIES,
                                  .np = REACTIONS,
                                  .parameters = REACTIONS,
                                  .p = P,
                                  .x0 = X0,
                                  .rhs = rhs,
                                  .jacobian = jacobian,
                                  .sens = sens,
                                  .parameter_names = NAMES};
