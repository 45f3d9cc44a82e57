#include "lib/cases.h"

#include <math.h>

const Case CASES_MECHANICAL[3] = {
    {.hand = &HAND_PENDULUM, .path = "models/pendulum.mo", .stop = 50, .outputs = 501},
    {.hand = &HAND_VDPD, .path = "models/vanderpol_duffing.mo", .stop = 20, .outputs = 2001},
    {.hand = &HAND_TWO_DOF,
     .path = "models/two_dof.mo",
     .stop = 30,
     .outputs = 3001,
     .settings = "C2=0.5 C3=0.5 u.start=1"},
};

const Case CASES_STIFF[4] = {
    {.hand = &HAND_ROBERTSON,
     .path = "models/robertson.mo",
     .first = 0.4,
     .stop = 4e10,
     .abs_parts = {1e-4, 1e-6}},
    {.hand = &HAND_HIRES,
     .path = "models/hires.mo",
     .stop = 321.8122,
     .outputs = 33,
     .abs_parts = {1e-2, 1e-4}},
    {.hand = &HAND_POLLUTION,
     .path = "models/pollution.mo",
     .stop = 60,
     .outputs = 31,
     .abs_parts = {1e-4, 1e-6}},
    {.hand = &HAND_NETWORK14,
     .path = "bench/models/network14.mo",
     .stop = 120,
     .outputs = 31,
     .abs_parts = {1e-1, 1e-3}},
};

int case_width(const Case *c) {
  return c->hand->nx * (1 + c->hand->np);
}

int case_times(const Case *c, double *times) {
  int count = 0;
  if (c->first > 0) {
    times[count++] = 0;
    for (double t = c->first; t < 1.001 * c->stop; t *= 10) times[count++] = t;
    return count;
  }
  for (; count < c->outputs; count++) times[count] = c->stop * count / (c->outputs - 1);
  return count;
}

BenchTask case_task(const Case *c, const double *times, int count, double rel_tol, double abs_tol,
                    const char *solver, int np) {
  return (BenchTask){.path = c->path,
                     .settings = c->settings,
                     .rel_tol = rel_tol,
                     .abs_tol = abs_tol,
                     .solver = solver,
                     .times = times,
                     .count = count,
                     .parameters = c->hand->parameter_names,
                     .np = np};
}

static double largest(const double *column, int width, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(column[i * width]));
  return most;
}

double case_error(const Case *c, const double *rows, const double *reference, int count) {
  int width = case_width(c), nx = c->hand->nx;
  double worst = 0;
  for (int j = 0; j < width; j++) {
    double scale = largest(reference + j, width, count), error = 0;
    if (j >= nx)
      scale = fmax(scale,
                   1e-3 * largest(reference + j % nx, width, count) / fabs(c->hand->p[j / nx - 1]));
    for (int i = 0; i < count; i++)
      error = fmax(error, fabs(rows[i * width + j] - reference[i * width + j]));
    if (!isfinite(error)) return nan("");
    if (scale > 0) worst = fmax(worst, error / scale);
  }
  return worst;
}
