#include "simulate/point.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void simulate_start_states(const SimulateStart *from, const System *s, double *y) {
  size_t L = (size_t)s->lanes, width = (size_t)s->stride * L;
  double *S = y + (size_t)s->nx * L;
  assert(!from->sens || L == 1);
  for (size_t i = 0; i < (size_t)s->nx; i++) {
    if (isnan(from->x[i])) continue;
    for (size_t l = 0; l < L; l++) y[i * L + l] = from->x[i];
    if (from->sens)
      memcpy(S + i * width, from->sens + i * width, width * sizeof *S);
    else
      memset(S + i * width, 0, width * sizeof *S);
  }
}
