// Reads a gain from a file of its resources: x' = s gain^order (u - x), s = -1 where inverted, and ten times that if fast.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

enum { TIME, FILE_NAME, ORDER, INVERT, SPEED, U, X, DX, GAIN };

static const Variable VARIABLES[] = {
    TIME_VARIABLE,
    FIXED("file", 0, .type = STRING, .text = "gains.txt", .description = "file with the gain"),
    FIXED("order", 1, .type = INTEGER, .bounded = true, .min = 0, .max = 3),
    FIXED("invert", 0, .type = BOOLEAN),
    FIXED("speed", 1, .type = ENUMERATION, .description = "slow or fast"),
    INPUT("u", 1),
    OUTPUT("x", FROM(0)),
    LOCAL("der(x)", .derivative_of = X),
    {.name = "gain", .causality = "local", .variability = "fixed"},
};

static Status equations(Model *m) {
  double *v = m->v;
  double rate = pow(v[GAIN], v[ORDER]) * (v[INVERT] != 0 ? -1 : 1) * (v[SPEED] == 2 ? 10 : 1);
  v[DX] = rate * (v[U] - v[X]);
  return OK;
}

static Status begin(Model *m) {
  char path[1400];
  snprintf(path, sizeof path, "%s%s", m->resources ? m->resources : "", m->text);
  FILE *f = fopen(path, "r");
  if (!f) return model_error(m, "cannot read %s: %s", m->text, strerror(errno));
  int found = fscanf(f, "gain %lf", &m->v[GAIN]);
  fclose(f);
  return found == 1 ? OK : model_error(m, "%s contains no gain", m->text);
}

const ModelInfo MODEL = {
    .name = "table",
    .description = "gain from a file",
    .variables = VARIABLES,
    .count = sizeof VARIABLES / sizeof *VARIABLES,
    .stop = 5,
    .step = 1e-3,
    .items = {"slow", "fast"},
    .begin = begin,
    .equations = equations,
};
