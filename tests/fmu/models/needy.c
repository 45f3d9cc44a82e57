// An oscillator that needs a shared library which is not there.
#include "model.h"

double absent_stiffness(void);

enum { TIME, X, V, A };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    OUTPUT("x", FROM(1)),
    LOCAL("v", FROM(0), .derivative_of = X),
    LOCAL("a", .derivative_of = V),
};

static Status equations(Model *m) {
  m->v[A] = -absent_stiffness() * m->v[X];
  return OK;
}

const ModelInfo MODEL = {
    .name = "needy",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 1,
    .step = 1e-3,
    .equations = equations,
};
