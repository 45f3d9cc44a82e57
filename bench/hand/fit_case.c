#include "hand/fit_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand/dop853.h"

#define WIDE "min: -100, max: 100"

const FitCase FIT_CASE_LIST[FIT_CASES] = {
    {.name = "vdpd",
     .title = "single well (2001)",
     .hand = &HAND_VDPD,
     .model = "models/vanderpol_duffing.mo",
     .set = "{}",
     .bounds = WIDE,
     .stop = 20,
     .samples = 2001,
     .measured_count = 2,
     .measured = {0, 1},
     .measured_names = {"x1", "x2"},
     .start = {1, 1, 0.3}},
    {.name = "two_dof",
     .title = "two-DOF (3001)",
     .hand = &HAND_TWO_DOF,
     .model = "models/two_dof.mo",
     .set = "{u.start: 1}",
     .bounds = WIDE,
     .stop = 30,
     .samples = 3001,
     .measured_count = 2,
     .measured = {0, 2},
     .measured_names = {"u", "v"},
     .start = {0.5, 0.5, 0.2}},
    {.name = "pendulum_501",
     .title = "pendulum (501)",
     .hand = &HAND_PENDULUM,
     .model = "models/pendulum.mo",
     .set = "{}",
     .bounds = WIDE,
     .stop = 50,
     .samples = 501,
     .measured_count = 1,
     .measured = {0},
     .measured_names = {"theta"},
     .start = {10.3}},
    {.name = "pendulum_5001",
     .title = "pendulum (5001)",
     .hand = &HAND_PENDULUM,
     .model = "models/pendulum.mo",
     .set = "{}",
     .bounds = WIDE,
     .stop = 50,
     .samples = 5001,
     .measured_count = 1,
     .measured = {0},
     .measured_names = {"theta"},
     .start = {10.3}},
};

FitData *fit_data_new(const FitCase *c) {
  FitData *d = calloc(1, sizeof *d);
  Dop853 *w = dop853_new(c->hand->nx);
  int stride = dop853_stride(w);
  double *rows = calloc((size_t)c->samples * (size_t)stride, sizeof *rows);
  d->c = c;
  d->times = calloc((size_t)c->samples, sizeof *d->times);
  d->y = calloc((size_t)c->samples * FIT_MEASURED_MOST, sizeof *d->y);
  for (int i = 0; i < c->samples; i++) d->times[i] = c->stop * i / (c->samples - 1);
  if (!dop853_run(w, c->hand->rhs, c->hand->p, 3e-14, 1e-16, c->hand->x0, d->times, c->samples,
                  rows))
    fprintf(stderr, "bench: the data of %s could not be made\n", c->name), exit(3);
  for (int i = 0; i < c->samples; i++)
    for (int j = 0; j < c->measured_count; j++)
      d->y[i * c->measured_count + j] = rows[(size_t)i * (size_t)stride + (size_t)c->measured[j]];
  free(rows);
  dop853_free(w);
  return d;
}

void fit_data_free(FitData *d) {
  free(d->times);
  free(d->y);
  free(d);
}

bool fit_data_write(const FitData *d, const char *path) {
  const FitCase *c = d->c;
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fprintf(f, "t");
  for (int j = 0; j < c->measured_count; j++) fprintf(f, ",%s", c->measured_names[j]);
  for (int i = 0; i < c->samples; i++) {
    fprintf(f, "\n%.17g", d->times[i]);
    for (int j = 0; j < c->measured_count; j++)
      fprintf(f, ",%.17g", d->y[i * c->measured_count + j]);
  }
  fprintf(f, "\n");
  return fclose(f) == 0;
}

double fit_error(const FitCase *c, const double *p) {
  double worst = 0;
  for (int k = 0; k < c->hand->np; k++) {
    double error = fabs(p[k] / c->hand->p[k] - 1);
    if (!(error <= worst)) worst = error; // also when it is not a number
  }
  return worst;
}
