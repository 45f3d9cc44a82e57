#include "hand/fit_dop853.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hand/dop853.h"

#pragma GCC diagnostic ignored "-Wpsabi"

typedef double Vec __attribute__((vector_size(32)));

enum { N = FIT_PARAMETERS_MOST, COLUMNS = N + 1, VECTORS = DOP853_BLOCK / 4 };

typedef struct Normal {          // of the columns [s_1, s_2, ..., residual]: all products of two
  Vec sum[COLUMNS][COLUMNS];     // lower triangle, four partial sums each
  double A[N][N], g[N], squares; // J'J, J'r, r'r
} Normal;

struct FitDop853 {
  const FitData *d;
  Dop853 *dop853;
  double y0[4 * (1 + N)];
  Normal best, trial;
  double abandon_above; // a trial ends when its sum of squares exceeds this
  long simulations, rhs;
};

FitDop853 *fit_dop853_new(const FitData *d) {
  FitDop853 *w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
  memset(w, 0, sizeof *w);
  const HandModel *m = d->c->hand;
  w->d = d;
  w->dop853 = dop853_new(m->nx * (1 + m->np));
  memcpy(w->y0, m->x0, (size_t)m->nx * sizeof *w->y0);
  return w;
}

void fit_dop853_free(FitDop853 *w) {
  dop853_free(w->dop853);
  free(w);
}

static double total(Vec v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

// One measured state of a block: column by column, the rest of the last vector zero.
static void gather(const FitDop853 *w, int measured, int first, int count, const double *rows,
                   Vec column[COLUMNS][VECTORS]) {
  const FitCase *c = w->d->c;
  const int np = c->hand->np, nx = c->hand->nx, stride = dop853_stride(w->dop853);
  const double *data = w->d->y + (size_t)first * (size_t)c->measured_count + measured;
  for (int k = 0; k < np; k++) {
    double *to = (double *)column[k];
    const double *from = rows + nx * (k + 1) + c->measured[measured];
    for (int i = 0; i < count; i++) to[i] = from[i * stride];
    for (int i = count; i % 4; i++) to[i] = 0;
  }
  double *to = (double *)column[np];
  for (int i = 0; i < count; i++)
    to[i] = rows[i * stride + c->measured[measured]] - data[i * c->measured_count];
  for (int i = count; i % 4; i++) to[i] = 0;
}

static bool accumulate(void *self, int first, int count, const double *rows) {
  FitDop853 *w = self;
  const int np = w->d->c->hand->np, vectors = (count + 3) / 4;
  Vec column[COLUMNS][VECTORS];
  Normal *t = &w->trial;
  for (int j = 0; j < w->d->c->measured_count; j++) {
    gather(w, j, first, count, rows, column);
    for (int k = 0; k <= np; k++)
      for (int l = 0; l <= k; l++) {
        Vec sum = t->sum[k][l];
        for (int i = 0; i < vectors; i++) sum += column[k][i] * column[l][i];
        t->sum[k][l] = sum;
      }
  }
  return total(t->sum[np][np]) <= w->abandon_above;
}

// Into w->trial. false: failed or abandoned.
static bool simulate(FitDop853 *w, const double *p) {
  const HandModel *m = w->d->c->hand;
  const int np = m->np;
  Normal *t = &w->trial;
  memset(t->sum, 0, sizeof t->sum);
  bool done = dop853_stream(w->dop853, m->rhs_sens, p, FIT_REL_TOL, FIT_ABS_TOL, w->y0, w->d->times,
                            w->d->c->samples, accumulate, w);
  w->simulations++;
  w->rhs += dop853_count(w->dop853).rhs;
  for (int k = 0; k < np; k++) {
    for (int l = 0; l <= k; l++) t->A[k][l] = t->A[l][k] = total(t->sum[k][l]);
    t->g[k] = total(t->sum[np][k]);
  }
  t->squares = total(t->sum[np][np]);
  return done;
}

// Solves (A + damping*diag(scale)) step = -g by Cholesky. Scale is positive: it always works with enough damping.
static bool solve(const Normal *b, int n, double damping, const double *scale, double *step) {
  double L[N][N];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double s = b->A[i][j] + (i == j ? damping * scale[i] : 0);
      for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      if (i == j && !(s > 0)) return false;
      L[i][j] = i == j ? sqrt(s) : s / L[j][j];
    }
    step[i] = -b->g[i];
    for (int k = 0; k < i; k++) step[i] -= L[i][k] * step[k];
    step[i] /= L[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) step[i] -= L[k][i] * step[k];
    step[i] /= L[i][i];
  }
  return true;
}

// What the linear model promises to take off the sum of squares.
static double promised(const Normal *b, int n, const double *step) {
  double change = 0;
  for (int i = 0; i < n; i++) {
    double slope = 2 * b->g[i];
    for (int k = 0; k < n; k++) slope += b->A[i][k] * step[k];
    change -= slope * step[i];
  }
  return change;
}

static double weighted_norm(const double *x, const double *scale, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += scale[i] * x[i] * x[i];
  return sqrt(s);
}

static void widen(double *scale, const Normal *b, int n) { // as MINPACK does
  for (int i = 0; i < n; i++) scale[i] = fmax(scale[i], b->A[i][i]);
}

FitReport fit_dop853_run(FitDop853 *w) {
  const int n = w->d->c->hand->np;
  double scale[N] = {0}, step[N], p[N], damping = 1e-3, growth = 2;
  FitReport report = {0};
  memcpy(report.p, w->d->c->start, sizeof report.p);
  w->simulations = w->rhs = 0;
  w->abandon_above = HUGE_VAL;
  if (!simulate(w, report.p)) return report;
  w->best = w->trial;
  widen(scale, &w->best, n);
  while (w->simulations < 1000 && !report.converged) {
    if (!solve(&w->best, n, damping, scale, step)) {
      damping = fmax(10 * damping, 1e-12);
      continue;
    }
    for (int i = 0; i < n; i++) p[i] = report.p[i] + step[i];
    report.converged = weighted_norm(step, scale, n) <= FIT_TOL * weighted_norm(p, scale, n);
    w->abandon_above = w->best.squares;
    if (simulate(w, p)) {
      double gain = w->best.squares - w->trial.squares, hoped = promised(&w->best, n, step);
      report.converged |= gain <= FIT_TOL * w->best.squares && hoped <= FIT_TOL * w->best.squares;
      damping *= gain > 0.75 * hoped ? 0.1 : gain > 0.25 * hoped ? 1 : 2;
      growth = 2;
      memcpy(report.p, p, sizeof p);
      w->best = w->trial;
      widen(scale, &w->best, n);
    } else {
      damping *= growth;
      growth *= 2;
    }
  }
  report.simulations = w->simulations;
  report.rhs = w->rhs;
  return report;
}
