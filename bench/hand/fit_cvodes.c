#include "hand/fit_cvodes.h"

#include <stdlib.h>
#include <string.h>

#include <cminpack-1/cminpack.h>

#include "hand/cvodes.h"

struct FitCvodes {
  const FitData *d;
  HandModel model; // the same with parameters that change
  double p[FIT_PARAMETERS_MOST];
  Cvodes *cvodes;
  double *rows; // [x, s_1, ...] at the samples, for the parameters `at`
  double at[FIT_PARAMETERS_MOST];
  bool known, reached_end;
  long simulations, rhs;
  int residuals;
  double *r, *J, *scratch;
};

FitCvodes *fit_cvodes_new(const FitData *d) {
  FitCvodes *w = calloc(1, sizeof *w);
  const FitCase *c = d->c;
  const int np = c->hand->np;
  w->d = d;
  w->model = *c->hand;
  w->model.p = w->p;
  memcpy(w->p, c->start, sizeof w->p); // CVODES takes the sizes of the parameters from these
  w->cvodes = cvodes_new(&w->model, CVODES_ADAMS, CVODES_SIMULTANEOUS);
  // CVODES's own default: a motion that runs away ends here instead of after millions of steps.
  cvodes_limit_steps(w->cvodes, 500);
  w->residuals = c->samples * c->measured_count;
  size_t m = (size_t)w->residuals, n = (size_t)np, width = (size_t)c->hand->nx * (1 + n);
  w->rows = calloc((size_t)c->samples * width, sizeof *w->rows);
  w->r = calloc(m * (n + 2), sizeof *w->r);
  w->J = w->r + m;
  w->scratch = w->J + m * n;
  return w;
}

void fit_cvodes_free(FitCvodes *w) {
  cvodes_free(w->cvodes);
  free(w->rows);
  free(w->r);
  free(w);
}

static void simulate(FitCvodes *w, const double *p) {
  const FitCase *c = w->d->c;
  size_t size = (size_t)c->hand->np * sizeof *p;
  if (w->known && !memcmp(p, w->at, size)) return;
  memcpy(w->p, p, size);
  memcpy(w->at, p, size);
  w->known = true;
  w->reached_end =
      cvodes_run(w->cvodes, FIT_REL_TOL, FIT_ABS_TOL, w->d->times, c->samples, w->rows);
  w->simulations++;
  w->rhs += cvodes_count(w->cvodes).rhs;
}

static void write_residuals(const FitCvodes *w, double *r) {
  const FitCase *c = w->d->c;
  const int width = c->hand->nx * (1 + c->hand->np);
  for (int i = 0, at = 0; i < c->samples; i++)
    for (int j = 0; j < c->measured_count; j++, at++)
      r[at] = w->rows[i * width + c->measured[j]] - w->d->y[at];
}

static void write_jacobian(const FitCvodes *w, double *J, int stride) {
  const FitCase *c = w->d->c;
  const int nx = c->hand->nx, width = nx * (1 + c->hand->np);
  for (int k = 0; k < c->hand->np; k++)
    for (int i = 0, at = 0; i < c->samples; i++)
      for (int j = 0; j < c->measured_count; j++, at++)
        J[k * stride + at] = w->rows[i * width + nx * (k + 1) + c->measured[j]];
}

static int evaluate(void *self, int m, int n, const double *p, double *r, double *J, int stride,
                    int wanted) {
  FitCvodes *w = self;
  (void)n;
  simulate(w, p);
  if (wanted == 2)
    write_jacobian(w, J, stride);
  else if (w->reached_end)
    write_residuals(w, r);
  else
    for (int i = 0; i < m; i++) r[i] = 1e10; // lmder takes a smaller step
  return 0;
}

FitReport fit_cvodes_run(FitCvodes *w) {
  const int n = w->model.np, m = w->residuals;
  double scale[FIT_PARAMETERS_MOST], qtf[FIT_PARAMETERS_MOST], a[3][FIT_PARAMETERS_MOST];
  int pivots[FIT_PARAMETERS_MOST], evaluations, jacobians;
  FitReport report = {0};
  memcpy(report.p, w->d->c->start, sizeof report.p);
  w->simulations = w->rhs = 0;
  w->known = false;
  int end = lmder(evaluate, w, m, n, report.p, w->r, w->J, m, FIT_TOL, FIT_TOL, 0, 1000, scale, 1,
                  100, 0, &evaluations, &jacobians, pivots, qtf, a[0], a[1], a[2], w->scratch);
  report.converged = end >= 1 && end <= 4;
  report.simulations = w->simulations;
  report.rhs = w->rhs;
  return report;
}
