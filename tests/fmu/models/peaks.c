// Counts how often sin(w t) rises above a level, while the only state moves slowly: an indicator that is faster than all states.
#include <math.h>

#include "model.h"

enum { TIME, W, LEVEL, COUNTER, X, DX, Z };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("w", 50, .unit = "rad/s"),
    PARAMETER("level", 0.9, .unit = "1"),
    {.name = "counter", .type = INTEGER, .causality = "output", .variability = "discrete"},
    OUTPUT("x", FROM(0), .unit = "1"),
    LOCAL("der(x)", .unit = "1/s", .derivative_of = X),
    LOCAL("z", .indicator = true),
};

static Status equations(Model *m) {
  m->v[DX] = 0.1;
  m->v[Z] = sin(m->v[W] * m->v[TIME]) - m->v[LEVEL];
  return OK;
}

static bool event(Model *m) { // memory: it is above
  bool above = sin(m->v[W] * m->v[TIME]) > m->v[LEVEL];
  if (above && !m->memory) m->v[COUNTER]++;
  m->memory = above;
  return false;
}

const ModelInfo MODEL = {
    .name = "peaks",
    .description = "peaks that are counted",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 10,
    .step = 1e-3,
    .completes = true,
    .equations = equations,
    .event = event,
};
