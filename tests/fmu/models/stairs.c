// Time events: the counter rises after every period; x' = gain * counter.
#include "model.h"

enum { TIME, PERIOD, GAIN, COUNTER, X, DX };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("period", 1, .unit = "s", .bounded = true, .min = 0.01, .max = 100),
    PARAMETER("gain", 1, .unit = "1/s"),
    {.name = "counter", .type = INTEGER, .causality = "output", .variability = "discrete"},
    OUTPUT("x", FROM(0), .unit = "1"),
    LOCAL("der(x)", .unit = "1/s", .derivative_of = X),
};

static Status equations(Model *m) {
  m->v[DX] = m->v[GAIN] * m->v[COUNTER];
  return OK;
}

static double next(const Model *m) {
  return m->start + m->v[PERIOD] * (m->v[COUNTER] + 1);
}

static bool event(Model *m) {
  while (m->v[TIME] >= next(m) - 1e-12) m->v[COUNTER]++;
  return false;
}

const ModelInfo MODEL = {
    .name = "stairs",
    .description = "stairs in time",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 10,
    .step = 1e-2,
    .completes = true,
    .equations = equations,
    .event = event,
    .next = next,
};
