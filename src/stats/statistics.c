#include "stats/statistics.h"

#include <math.h>
#include <string.h>

static void fill_with_nan(double *x, int count) {
  for (int i = 0; i < count; i++) x[i] = nan("");
}

static const char *const KIND_WORD[] = {
#define INTERVAL_KIND(name, word, sentence) word,
    INTERVAL_KINDS
#undef INTERVAL_KIND
};

const char *interval_kind_word(IntervalKind k) {
  return KIND_WORD[k];
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
  s->gradient = ARENA_ARRAY(a, double, s->n + 1);
  for (int i = 0; i < s->n; i++) s->gradient[i] = nan("");
  statistics_forget_intervals(s);
  statistics_forget_identifiability(s);
  return s;
}

void statistics_forget_intervals(Statistics *s) {
  s->variance = s->freedom = nan("");
  s->colour = 1;
  s->sandwich = false;
  fill_with_nan(s->covariance, s->n * s->n);
  fill_with_nan(s->correlation, s->n * s->n);
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->std_error = out->ci_low = out->ci_high = nan("");
    out->interval = INTERVAL_NONE;
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

double least_white_p(const StatChannel *c) {
  return fmin(fmin(c->white_p, c->runs_p),
              c->lag1_p); // fmin takes the number when the other is NaN
}

double white_level(const Statistics *s) {
  return 1e-3 / (3 * s->channel_count);
}

bool statistics_miss(const Statistics *s, const char *word) {
  for (int i = 0; i < s->missing_count; i++)
    if (strcmp(s->missing[i], word) == 0) return true;
  return false;
}

void statistics_add_remark(Statistics *s, const char *remark) {
  const char **longer = ARENA_ARRAY(s->arena, const char *, s->remark_count + 1);
  for (int i = 0; i < s->remark_count; i++) longer[i] = s->remarks[i];
  longer[s->remark_count++] = remark;
  s->remarks = longer;
}

void statistics_free(Statistics *s) {
  if (s) arena_free(s->arena);
}
