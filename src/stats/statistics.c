#include "stats/statistics.h"

#include <math.h>

static void fill_with_nan(double *x, int count) {
  for (int i = 0; i < count; i++) x[i] = nan("");
}

Statistics *statistics_new(int unknowns, int channels) {
  Arena *a = arena_new();
  Statistics *s = ARENA_NEW(a, Statistics);
  s->arena = a;
  s->n = unknowns;
  s->channel_count = channels;
  s->parameters = ARENA_ARRAY(a, StatParameter, s->n + 1);
  s->channels = ARENA_ARRAY(a, StatChannel, s->channel_count + 1);
  s->covariance = ARENA_ARRAY(a, double, s->n * s->n + 1);
  s->correlation = ARENA_ARRAY(a, double, s->n * s->n + 1);
  s->singular_values = ARENA_ARRAY(a, double, s->n + 1);
  s->variance = nan("");
  fill_with_nan(s->covariance, s->n * s->n);
  fill_with_nan(s->correlation, s->n * s->n);
  fill_with_nan(s->singular_values, s->n);
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->std_error = out->ci_low = out->ci_high = out->relative_at_1_percent = nan("");
  }
  return s;
}

void statistics_free(Statistics *s) {
  if (s) arena_free(s->arena);
}
