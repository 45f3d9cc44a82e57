// A parameter of every number type of FMI 3, and an output that repeats it.
#include "model.h"

#define PAIR(Wire, kind, value)                                                                    \
  FIXED("p" Wire, value, .type = kind, .wire = Wire), {                                            \
    .name = "y" Wire, .type = kind, .wire = Wire, .causality = "output", .variability = "discrete" \
  }

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    PAIR("Float64", REAL, 0.1),
    PAIR("Float32", REAL, 0.5),
    PAIR("Int8", INTEGER, -8),
    PAIR("UInt8", INTEGER, 8),
    PAIR("Int16", INTEGER, -16),
    PAIR("UInt16", INTEGER, 16),
    PAIR("Int32", INTEGER, -32),
    PAIR("UInt32", INTEGER, 32),
    PAIR("Int64", INTEGER, -64),
    PAIR("UInt64", INTEGER, 64),
    PAIR("Boolean", BOOLEAN, 1),
};

static Status equations(Model *m) {
  for (int k = 1; k + 1 < (int)(sizeof VARIABLES / sizeof *VARIABLES); k += 2)
    m->v[k + 1] = m->v[k];
  return OK;
}

const ModelInfo MODEL = {
    .name = "types",
    .description = "all types of numbers",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 1,
    .step = 1,
    .equations = equations,
};
