#include "hand/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MOST = 32, PARAMETERS_MOST = 64 };

typedef struct Point {
  double x[STATES_MOST], p[PARAMETERS_MOST], J[STATES_MOST * STATES_MOST];
  double s[PARAMETERS_MOST][STATES_MOST], ds[PARAMETERS_MOST][STATES_MOST];
} Point;

static double spread(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return (double)(*seed >> 16 & 1023) / 1023;
}

// Central difference of the right-hand side by *number.
static void difference(const HandModel *m, Point *at, double *number, double *out) {
  double middle = *number, h = 1e-5 * (fabs(middle) + 1e-3), low[STATES_MOST];
  *number = middle + h;
  m->rhs(0.3, at->x, at->p, out);
  *number = middle - h;
  m->rhs(0.3, at->x, at->p, low);
  *number = middle;
  for (int i = 0; i < m->nx; i++) out[i] = (out[i] - low[i]) / (2 * h);
}

static double compare(const double *a, const double *b, int n) {
  double worst = 0, largest = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    largest = fmax(largest, fabs(b[i]));
  }
  return largest > 0 ? worst / largest : worst;
}

static double check_jacobian(const HandModel *m, Point *at) {
  double worst = 0, column[STATES_MOST];
  memset(at->J, 0, sizeof at->J);
  m->jacobian(0.3, at->x, at->p, at->J);
  for (int j = 0; j < m->nx; j++) {
    difference(m, at, &at->x[j], column);
    worst = fmax(worst, compare(at->J + j * m->nx, column, m->nx));
  }
  return worst;
}

static double check_sens(const HandModel *m, Point *at) {
  double worst = 0, by_p[STATES_MOST];
  const double *s[PARAMETERS_MOST];
  double *ds[PARAMETERS_MOST];
  for (int k = 0; k < m->np; k++) s[k] = at->s[k], ds[k] = at->ds[k];
  m->sens(0.3, at->x, s, at->p, ds);
  for (int k = 0; k < m->np; k++) {
    difference(m, at, &at->p[k], by_p);
    for (int i = 0; i < m->nx; i++)
      for (int j = 0; j < m->nx; j++) by_p[i] += at->J[j * m->nx + i] * at->s[k][j];
    worst = fmax(worst, compare(at->ds[k], by_p, m->nx));
  }
  return worst;
}

// [x, s_1, ...] as one vector must agree with sens.
static double check_rhs_sens(const HandModel *m, const Point *at) {
  double y[STATES_MOST * 4], dy[STATES_MOST * 4], worst = 0;
  if (!m->rhs_sens) return 0;
  memcpy(y, at->x, (size_t)m->nx * sizeof *y);
  for (int k = 0; k < m->np; k++) memcpy(y + (k + 1) * m->nx, at->s[k], (size_t)m->nx * sizeof *y);
  m->rhs_sens(0.3, y, at->p, dy);
  for (int k = 0; k < m->np; k++)
    worst = fmax(worst, compare(dy + (k + 1) * m->nx, at->ds[k], m->nx));
  return worst;
}

double hand_check(const HandModel *m) {
  Point *at = calloc(1, sizeof *at);
  unsigned seed = 7;
  double worst = 0;
  for (int trial = 0; trial < 5; trial++) {
    // Parameters near 1, not their values: rate constants of 1e12 would drown the differences.
    for (int k = 0; k < m->parameters; k++) at->p[k] = 0.5 + spread(&seed);
    for (int i = 0; i < m->nx; i++)
      at->x[i] = m->x0[i] * (0.5 + spread(&seed)) + 0.1 * spread(&seed);
    for (int k = 0; k < m->np; k++)
      for (int i = 0; i < m->nx; i++) at->s[k][i] = spread(&seed) - 0.5;
    worst = fmax(worst, check_jacobian(m, at));
    worst = fmax(worst, check_sens(m, at));
    worst = fmax(worst, check_rhs_sens(m, at));
  }
  free(at);
  return worst;
}
