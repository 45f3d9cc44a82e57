// A decay, x' = -k x, of which there may be one instance in a process.
#include "model.h"

enum { TIME, K, X, DX };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("k", 1, .unit = "1/s", AT_LEAST(0)),
    OUTPUT("x", FROM(1)),
    LOCAL("der(x)", .derivative_of = X),
};

static Status equations(Model *m) {
  m->v[DX] = -m->v[K] * m->v[X];
  return OK;
}

const ModelInfo MODEL = {
    .name = "once",
    .description = "one instance in a process",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 5,
    .step = 1e-3,
    .once = true,
    .equations = equations,
};
