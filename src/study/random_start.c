#include "study/random_start.h"

#include <math.h>

int first_unbounded(const Problem *p) {
  for (int i = 0; i < p->unknown_count; i++)
    if (!isfinite(p->unknowns[i].min) || !isfinite(p->unknowns[i].max)) return i;
  return -1;
}

static double between(const Unknown *f, double u) {
  if (f->min > 0 && f->max > 10 * f->min) return f->min * pow(f->max / f->min, u);
  return f->min + u * (f->max - f->min);
}

void random_start(const Problem *p, Random *r, double *x) {
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *f = &p->unknowns[i];
    x[i] = fmin(f->max, fmax(f->min, between(f, random_uniform(r))));
  }
}
