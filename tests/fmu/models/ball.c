// A bouncing ball: at the ground the velocity becomes -e v; a ball that is slower than v_min stays.
#include <float.h>

#include "model.h"

enum { TIME, G, E, V_MIN, H, V, DH, DV, Z };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("g", 9.81, .unit = "m/s2", .description = "gravity", AT_LEAST(0)),
    PARAMETER("e", 0.7, .unit = "1", .description = "restitution", .bounded = true, .max = 1),
    FIXED("v_min", 0.1, .unit = "m/s", .description = "velocity below which it stays", AT_LEAST(0)),
    OUTPUT("h", FROM(1), .unit = "m", .description = "height"),
    OUTPUT("v", FROM(0), .unit = "m/s", .description = "velocity"),
    LOCAL("der(h)", .unit = "m/s", .derivative_of = H),
    LOCAL("der(v)", .unit = "m/s2", .derivative_of = V),
    LOCAL("z", .unit = "m", .description = "height above the ground", .indicator = true),
};

// memory: it lies on the ground
static Status equations(Model *m) {
  double *v = m->v;
  v[DH] = m->memory ? 0 : v[V];
  v[DV] = m->memory ? 0 : -v[G];
  v[Z] = m->memory ? 1 : v[H];
  return OK;
}

static bool event(Model *m) {
  double *v = m->v;
  if (m->memory || v[H] > 1e-9 || v[V] >= 0) return false;
  v[H] = DBL_MIN; // above the ground, so that the indicator is positive again
  v[V] *= -v[E];
  if (v[V] < v[V_MIN]) {
    m->memory = 1;
    v[V] = v[H] = 0;
  }
  return true;
}

const ModelInfo MODEL = {
    .name = "ball",
    .description = "bouncing ball",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 3,
    .step = 1e-3,
    .completes = true,
    .equations = equations,
    .event = event,
};
