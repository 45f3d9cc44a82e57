#include "num/coloured_noise.h"

#include <math.h>

NoiseSource noise_source(double correlation, double share) {
  if (correlation == 0) share = 0;
  return (NoiseSource){correlation, sqrt(share), sqrt(1 - share), 0, false};
}

// The slow part has variance 1 from its first sample on. What a part of size 0 would be is not drawn.
double noise_next(NoiseSource *s, Random *r) {
  double white = s->white > 0 ? s->white * random_normal(r) : 0;
  if (!(s->slow > 0)) return white;
  double fresh = random_normal(r), c = s->correlation;
  s->last = s->begun ? c * s->last + sqrt(1 - c * c) * fresh : fresh;
  s->begun = true;
  return white + s->slow * s->last;
}

double quantised(double y, double quantum) {
  return quantum > 0 ? quantum * round(y / quantum) : y;
}
