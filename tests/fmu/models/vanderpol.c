// The oscillator of Van der Pol: x0' = x1, x1' = mu (1 - x0^2) x1 - x0, with directional derivatives. Its co-simulation is
// coarse: Euler with steps of 0.01.
#include "model.h"

enum { TIME, MU, X0, X1, DX0, DX1 };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("mu", 1, .bounded = true, .min = 0, .max = 100),
    OUTPUT("x0", FROM(2)),
    OUTPUT("x1", FROM(0)),
    LOCAL("der(x0)", .derivative_of = X0),
    LOCAL("der(x1)", .derivative_of = X1),
};

static Status equations(Model *m) {
  double *v = m->v;
  v[DX0] = v[X1];
  v[DX1] = v[MU] * (1 - v[X0] * v[X0]) * v[X1] - v[X0];
  return OK;
}

static double partial(const Model *m, int of, int by) {
  const double *v = m->v;
  if (of == by) return 1;
  if (of == DX0) return by == X1;
  if (of != DX1) return 0;
  switch (by) {
  case MU: return (1 - v[X0] * v[X0]) * v[X1];
  case X0: return -2 * v[MU] * v[X0] * v[X1] - 1;
  case X1: return v[MU] * (1 - v[X0] * v[X0]);
  default: return 0;
  }
}

const ModelInfo MODEL = {
    .name = "vanderpol",
    .description = "oscillator of Van der Pol",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 20,
    .step = 0.01,
    .euler = true,
    .equations = equations,
    .partial = partial,
};
