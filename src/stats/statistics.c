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
  statistics_forget_intervals(s);
  statistics_forget_identifiability(s);
  return s;
}

void statistics_forget_intervals(Statistics *s) {
  s->variance = nan("");
  s->sandwich = false;
  fill_with_nan(s->covariance, s->n * s->n);
  fill_with_nan(s->correlation, s->n * s->n);
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->std_error = out->ci_low = out->ci_high = nan("");
  }
}

void statistics_forget_identifiability(Statistics *s) {
  fill_with_nan(s->singular_values, s->n);
  s->rank = s->direction_count = 0;
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->relative_at_1_percent = nan("");
    out->inactive = out->identifiable = false;
    out->reason = NULL;
  }
}

void statistics_free(Statistics *s) {
  if (s) arena_free(s->arena);
}
