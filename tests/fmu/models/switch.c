// A state event without jumps: a mass on a spring that meets a stop, m v' = -k x - c v - kc (x - gap) where x > gap.
#include <math.h>

#include "model.h"

enum { TIME, M, K, C, GAP, KC, X, V, A, TOUCHES, Z, BELOW };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("m", 1, .unit = "kg", .bounded = true, .min = 0.01, .max = 100),
    PARAMETER("k", 4, .unit = "N/m", AT_LEAST(0)),
    PARAMETER("c", 0.1, .unit = "N.s/m", AT_LEAST(0)),
    PARAMETER("gap", 0.5, .unit = "m"),
    PARAMETER("kc", 100, .unit = "N/m", .description = "stiffness of the stop", AT_LEAST(0)),
    OUTPUT("x", FROM(0), .unit = "m"),
    OUTPUT("v", FROM(2), .unit = "m/s", .derivative_of = X),
    OUTPUT("a", .unit = "m/s2", .derivative_of = V),
    {.name = "touches", .type = BOOLEAN, .causality = "output", .variability = "discrete"},
    LOCAL("z", .unit = "m", .indicator = true),
    LOCAL("below", .unit = "m", .description = "the same relation, from below", .indicator = true),
};

static Status equations(Model *m) {
  double *v = m->v;
  v[Z] = v[X] - v[GAP];
  v[BELOW] = -3 * v[Z];
  v[A] = (-v[K] * v[X] - v[C] * v[V] - (v[TOUCHES] != 0 ? v[KC] * v[Z] : 0)) / v[M];
  return OK;
}

static bool event(Model *m) {
  double *v = m->v, z = v[X] - v[GAP];
  v[TOUCHES] = fabs(z) > 1e-9 ? z > 0 : v[V] > 0;
  return false;
}

static Status begin(Model *m) {
  event(m);
  return OK;
}

const ModelInfo MODEL = {
    .name = "switch",
    .description = "spring with stop",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 10,
    .step = 1e-3,
    .begin = begin,
    .equations = equations,
    .event = event,
};
