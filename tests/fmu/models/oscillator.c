// A mass on a spring that may stiffen, with damper and force: m v' = F - k x - c v - k3 x^3.
#include "model.h"

enum { TIME, M, K, C, K3, H, F, X, V, Y, A };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("m", 1, .unit = "kg", .description = "mass", .bounded = true, .min = 0.01,
              .max = 100),
    PARAMETER("k", 4, .unit = "N/m", .description = "stiffness", AT_LEAST(0)),
    PARAMETER("c", 0.2, .unit = "N.s/m", .description = "damping", AT_LEAST(0)),
    PARAMETER("k3", 0, .unit = "N/m3", .description = "cubic stiffness"),
    FIXED("h", 1e-3, .unit = "s", .description = "step of co-simulation", .bounded = true,
          .min = 1e-6, .max = 0.1),
    INPUT("F", 0, .unit = "N", .description = "force"),
    OUTPUT("x", FROM(1), .unit = "m", .description = "position"),
    LOCAL("v", FROM(0), .unit = "m/s", .description = "velocity", .derivative_of = X),
    OUTPUT("y", .unit = "m", .description = "position once more"),
    OUTPUT("a", .unit = "m/s2", .description = "acceleration", .derivative_of = V),
};

static Status equations(Model *m) {
  double *v = m->v, x = v[X];
  v[Y] = x;
  v[A] = (-v[K] * x - v[C] * v[V] - v[K3] * x * x * x + v[F]) / v[M];
  return OK;
}

const ModelInfo MODEL = {
    .name = "oscillator",
    .description = "mass on a spring",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 10,
    .step_variable = H,
    .equations = equations,
};
