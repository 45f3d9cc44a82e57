// A mass on a spring that stiffens, as FMU: m v' = -k x - k3 x^3 - c v.
//
// Here are its variables and equations. ../../tests/fmu has the rest of an FMU (functions of FMI 2.0, description, archive);
// make builds oscillator.fmu of both, with model exchange and co-simulation. For co-simulation it integrates by Euler's method with
// the fixed step h, as FMUs of control software often do.
#include "model.h"

enum { TIME, M, K, K3, C, H, X, V, A };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PARAMETER("m", 1, .unit = "kg", .description = "mass", AT_LEAST(0.01)),
    PARAMETER("k", 30, .unit = "N/m", .description = "stiffness", AT_LEAST(0)),
    PARAMETER("k3", 20, .unit = "N/m3", .description = "cubic stiffness", AT_LEAST(0)),
    PARAMETER("c", 0.15, .unit = "N.s/m", .description = "damping", AT_LEAST(0)),
    FIXED("h", 1e-4, .unit = "s", .description = "step of co-simulation", .bounded = true,
          .min = 1e-6, .max = 0.1),
    OUTPUT("x", FROM(1), .unit = "m", .description = "position"),
    OUTPUT("v", FROM(0), .unit = "m/s", .description = "velocity", .derivative_of = X),
    LOCAL("a", .unit = "m/s2", .description = "acceleration", .derivative_of = V),
};

static Status equations(Model *m) {
  double *v = m->v, x = v[X];
  v[A] = (-v[K] * x - v[K3] * x * x * x - v[C] * v[V]) / v[M];
  return OK;
}

const ModelInfo MODEL = {
    .name = "oscillator",
    .description = "a mass on a spring that stiffens",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 10,
    .step_variable = H,
    .euler = true,
    .equations = equations,
};
