// Uniform in the range of an unknown, in its logarithm where the range spans more than a decade of positive numbers.
#include "search/starts.h"

#include <math.h>

#include "num/random.h"

void start_range(const Unknown *u, double *low, double *high, bool *decades) {
  double size = u->start != 0 ? 3 * fabs(u->start) : 1;
  *low = isfinite(u->min) ? u->min : fmin(u->start - size, u->max);
  *high = isfinite(u->max) ? u->max : fmax(u->start + size, *low);
  *decades = *low > 0 && *high > 10 * *low;
}

double start_between(const Unknown *u, double place) {
  double low, high;
  bool decades;
  start_range(u, &low, &high, &decades);
  double x = decades ? low * pow(high / low, place) : low + (high - low) * place;
  return fmin(fmax(x, low), high);
}

void random_point(const Problem *p, uint64_t number, double *x) {
  Random random;
  random_seed_stream(&random, (uint64_t)p->options.seed, number);
  for (int i = 0; i < p->unknown_count; i++)
    x[i] = start_between(&p->unknowns[i], random_uniform(&random));
}
