// The nonlinear regression sets of NIST (Statistical Reference Datasets): data, two starts, certified results. Files in
// their original form, in NIST_FOLDER, or where the environment variable ENTRAIN_NIST says.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "lsq_problems.h"

#define NIST_FOLDER "../shared/data/nist-strd"
enum { NIST_ROWS = 300 };

typedef Cplx NistModel(const Cplx *b, const double *x);

typedef struct NistSet {
  NistModel *model;
  int m, n;
  double y[NIST_ROWS], x[NIST_ROWS][2];
  double start[2][LSQ_CASE_NUMBERS]; // far, near
  double certified[LSQ_CASE_NUMBERS], std_error[LSQ_CASE_NUMBERS], squares;
} NistSet;

static inline Cplx nist_rise(const Cplx *b, const double *x) {
  return b[0] * (1 - cexp(-b[1] * x[0]));
}
static inline Cplx nist_misra1b(const Cplx *b, const double *x) {
  Cplx q = 1 + b[1] * x[0] / 2;
  return b[0] * (1 - 1 / (q * q));
}
static inline Cplx nist_misra1c(const Cplx *b, const double *x) {
  return b[0] * (1 - 1 / csqrt(1 + 2 * b[1] * x[0]));
}
static inline Cplx nist_misra1d(const Cplx *b, const double *x) {
  return b[0] * b[1] * x[0] / (1 + b[1] * x[0]);
}
static inline Cplx nist_chwirut(const Cplx *b, const double *x) {
  return cexp(-b[0] * x[0]) / (b[1] + b[2] * x[0]);
}
static inline Cplx nist_lanczos(const Cplx *b, const double *x) {
  return b[0] * cexp(-b[1] * x[0]) + b[2] * cexp(-b[3] * x[0]) + b[4] * cexp(-b[5] * x[0]);
}
static inline Cplx nist_gauss(const Cplx *b, const double *x) {
  Cplx p = (x[0] - b[3]) / b[4], q = (x[0] - b[6]) / b[7];
  return b[0] * cexp(-b[1] * x[0]) + b[2] * cexp(-p * p) + b[5] * cexp(-q * q);
}
static inline Cplx nist_danwood(const Cplx *b, const double *x) {
  return b[0] * cexp(b[1] * log(x[0]));
}
static inline Cplx nist_kirby2(const Cplx *b, const double *x) {
  return (b[0] + x[0] * (b[1] + x[0] * b[2])) / (1 + x[0] * (b[3] + x[0] * b[4]));
}
static inline Cplx nist_cubics(const Cplx *b, const double *x) {
  return (b[0] + x[0] * (b[1] + x[0] * (b[2] + x[0] * b[3]))) /
         (1 + x[0] * (b[4] + x[0] * (b[5] + x[0] * b[6])));
}
static inline Cplx nist_nelson(const Cplx *b, const double *x) { // of log(y)
  return b[0] - b[1] * x[0] * cexp(-b[2] * x[1]);
}
static inline Cplx nist_mgh17(const Cplx *b, const double *x) {
  return b[0] + b[1] * cexp(-b[3] * x[0]) + b[2] * cexp(-b[4] * x[0]);
}
static inline Cplx nist_roszman1(const Cplx *b, const double *x) {
  return b[0] - b[1] * x[0] - catan(b[2] / (x[0] - b[3])) / M_PI;
}
static inline Cplx nist_enso(const Cplx *b, const double *x) {
  Cplx year = 2 * M_PI * x[0] / 12, p = 2 * M_PI * x[0] / b[3], q = 2 * M_PI * x[0] / b[6];
  return b[0] + b[1] * ccos(year) + b[2] * csin(year) + b[4] * ccos(p) + b[5] * csin(p) +
         b[7] * ccos(q) + b[8] * csin(q);
}
static inline Cplx nist_mgh09(const Cplx *b, const double *x) {
  return b[0] * x[0] * (x[0] + b[1]) / (x[0] * (x[0] + b[2]) + b[3]);
}
static inline Cplx nist_rat42(const Cplx *b, const double *x) {
  return b[0] / (1 + cexp(b[1] - b[2] * x[0]));
}
static inline Cplx nist_rat43(const Cplx *b, const double *x) {
  return b[0] * cexp(-clog(1 + cexp(b[1] - b[2] * x[0])) / b[3]);
}
static inline Cplx nist_mgh10(const Cplx *b, const double *x) {
  return b[0] * cexp(b[1] / (x[0] + b[2]));
}
static inline Cplx nist_eckerle4(const Cplx *b, const double *x) {
  Cplx p = (x[0] - b[2]) / b[1];
  return b[0] / b[1] * cexp(-p * p / 2);
}
static inline Cplx nist_bennett5(const Cplx *b, const double *x) {
  return b[0] * cexp(-clog(b[1] + x[0]) / b[2]);
}

static const struct {
  const char *name;
  NistModel *model;
} nist_sets[] = {
    {"Misra1a", nist_rise},      {"Chwirut2", nist_chwirut}, {"Chwirut1", nist_chwirut},
    {"Lanczos3", nist_lanczos},  {"Gauss1", nist_gauss},     {"Gauss2", nist_gauss},
    {"DanWood", nist_danwood},   {"Misra1b", nist_misra1b},  {"Kirby2", nist_kirby2},
    {"Hahn1", nist_cubics},      {"Nelson", nist_nelson},    {"MGH17", nist_mgh17},
    {"Lanczos1", nist_lanczos},  {"Lanczos2", nist_lanczos}, {"Gauss3", nist_gauss},
    {"Misra1c", nist_misra1c},   {"Misra1d", nist_misra1d},  {"Roszman1", nist_roszman1},
    {"ENSO", nist_enso},         {"MGH09", nist_mgh09},      {"Thurber", nist_cubics},
    {"BoxBOD", nist_rise},       {"Rat42", nist_rat42},      {"MGH10", nist_mgh10},
    {"Eckerle4", nist_eckerle4}, {"Rat43", nist_rat43},      {"Bennett5", nist_bennett5},
};
enum { NIST_SETS = sizeof nist_sets / sizeof *nist_sets };

static inline FILE *nist_open(const char *name) {
  char path[400];
  const char *folder = getenv("ENTRAIN_NIST");
  snprintf(path, sizeof path, "%s/%s.dat", folder ? folder : NIST_FOLDER, name);
  return fopen(path, "r");
}

static inline void nist_read_line(NistSet *s, const char *line, int number) {
  int i;
  double v[4];
  if (number > 60) {
    int count = sscanf(line, "%lf %lf %lf", v, v + 1, v + 2);
    if (count < 2 || s->m == NIST_ROWS) return;
    s->y[s->m] = s->model == nist_nelson ? log(v[0]) : v[0];
    s->x[s->m][0] = v[1];
    s->x[s->m++][1] = count > 2 ? v[2] : 0;
  } else if (sscanf(line, " b%d = %lf %lf %lf %lf", &i, v, v + 1, v + 2, v + 3) == 5) {
    s->start[0][i - 1] = v[0];
    s->start[1][i - 1] = v[1];
    s->certified[i - 1] = v[2];
    s->std_error[i - 1] = v[3];
    s->n = i;
  } else
    sscanf(line, "Residual Sum of Squares: %lf", &s->squares);
}

// Copies of Roszman1 are about in which the digits of b1 are shifted, 1.20196866396E-0 instead of 2.0196866396E-01, where the
// residuals do not have the certified sum of squares.
static inline void nist_correct(NistSet *s) {
  if (s->model == nist_roszman1 && s->certified[0] == 1.20196866396)
    s->certified[0] = 0.20196866396;
}

// False when the file is not there.
static inline bool nist_load(int which, NistSet *s) {
  FILE *in = nist_open(nist_sets[which].name);
  char line[400];
  if (!in) return false;
  memset(s, 0, sizeof *s);
  s->model = nist_sets[which].model;
  for (int number = 1; fgets(line, sizeof line, in); number++) nist_read_line(s, line, number);
  fclose(in);
  nist_correct(s);
  return true;
}

static inline void nist_residuals(const LsqShape *s, const Cplx *b, Cplx *r) {
  const NistSet *set = s->data;
  for (int i = 0; i < set->m; i++) r[i] = set->model(b, set->x[i]) - set->y[i];
}

// The certified minimum within 1e-8, or certified parameters to four digits where the minimum is rounding errors only.
static inline bool nist_is_solved(const NistSet *s, const LsqPoint *p) {
  double worst = 0;
  for (int i = 0; i < s->n; i++)
    worst = fmax(worst, fabs(p->x[i] - s->certified[i]) / fabs(s->certified[i]));
  return worst < 1e-4 || fabs(2 * p->objective - s->squares) < 1e-8 * s->squares;
}
