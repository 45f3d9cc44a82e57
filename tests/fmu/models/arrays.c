// x' = A x + B u, y = C x by elements: FMI 3 only.
#include "model.h"

enum { TIME, A, B = A + 4, C = B + 2, U = C + 2, X, DX = X + 2, Y = DX + 2 };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    {.name = "A",
     .causality = "parameter",
     .variability = "tunable",
     .rows = 2,
     .columns = 2,
     .start = {0, 1, -4, -0.2}},
    {.name = "B", .causality = "parameter", .variability = "tunable", .rows = 2, .start = {0, 1}},
    {.name = "C", .causality = "parameter", .variability = "fixed", .rows = 2, .start = {1, 10}},
    INPUT("u", 0),
    {.name = "x",
     .causality = "output",
     .variability = "continuous",
     .rows = 2,
     .exact = true,
     .start = {1, 0}},
    LOCAL("der(x)", .rows = 2, .derivative_of = X),
    OUTPUT("y", .rows = 2),
};

static Status equations(Model *m) {
  double *v = m->v;
  for (int i = 0; i < 2; i++) {
    v[DX + i] = v[A + 2 * i] * v[X] + v[A + 2 * i + 1] * v[X + 1] + v[B + i] * v[U];
    v[Y + i] = v[C + i] * v[X + i];
  }
  return OK;
}

static double partial(const Model *m, int of, int by) {
  if (of == by) return 1;
  if (of >= Y && by == of - Y + X) return m->v[C + of - Y];
  if (of < DX || of >= Y) return 0;
  if (by == X || by == X + 1) return m->v[A + 2 * (of - DX) + by - X];
  return by == U ? m->v[B + of - DX] : 0;
}

const ModelInfo MODEL = {
    .name = "arrays",
    .description = "linear system with arrays",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 10,
    .step = 1e-3,
    .equations = equations,
    .partial = partial,
};
