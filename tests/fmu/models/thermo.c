// A room with a heater that switches on below `low` and off above `high`: C T' = P on - G (T - Ta).
#include "model.h"

enum { TIME, P, G, C, TA, LOW, HIGH, T, DT, ON, Z };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("P", 1000, .unit = "W", .description = "power of the heater", AT_LEAST(0)),
    PARAMETER("G", 20, .unit = "W/K", .description = "loss", AT_LEAST(0)),
    PARAMETER("C", 1e4, .unit = "J/K", .description = "heat capacity", AT_LEAST(1)),
    INPUT("Ta", 5, .unit = "degC", .description = "temperature outside"),
    PARAMETER("low", 19, .unit = "degC"),
    PARAMETER("high", 21, .unit = "degC"),
    OUTPUT("T", FROM(15), .unit = "degC", .description = "temperature of the room"),
    LOCAL("der(T)", .unit = "K/s", .derivative_of = T),
    {.name = "on", .type = BOOLEAN, .causality = "output", .variability = "discrete"},
    LOCAL("z", .unit = "K", .indicator = true),
};

static Status equations(Model *m) {
  double *v = m->v;
  v[Z] = v[ON] != 0 ? v[HIGH] - v[T] : v[T] - v[LOW];
  v[DT] = (v[P] * v[ON] - v[G] * (v[T] - v[TA])) / v[C];
  return OK;
}

static bool event(Model *m) {
  double *v = m->v;
  if (v[ON] != 0 ? v[T] > v[HIGH] - 1e-9 : v[T] < v[LOW] + 1e-9) v[ON] = v[ON] == 0;
  return false;
}

static Status begin(Model *m) {
  m->v[ON] = m->v[T] < m->v[HIGH];
  return OK;
}

const ModelInfo MODEL = {
    .name = "thermo",
    .description = "room with hysteresis control",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 3600,
    .step = 1,
    .begin = begin,
    .completes = true,
    .equations = equations,
    .event = event,
};
