#include "stats/pooled.h"

#include <math.h>
#include <string.h>

typedef struct PooledPart { // what one channel of one experiment gives
  const char *variable, *unit, *window;
  int experiment;
  int n;
  double squares, spread; // NaN: could not be simulated; not known
} PooledPart;

typedef struct PooledParts {
  ARRAY(PooledPart) all;
} PooledParts;

static bool same_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

// ---------------------------------------------------------------- parts

static PooledPart part_of(const Problem *p, int experiment, int channel, int n, double rmse) {
  const Channel *c = &p->experiments[experiment].channels[channel];
  return (PooledPart){c->name, c->unit, NULL, experiment, n, rmse * rmse * n, nan("")};
}

static void add_windows(Arena *a, PooledParts *out, const Problem *p, const RunChannel *c) {
  const Experiment *e = &p->experiments[c->experiment];
  for (int i = 0; i < e->window_count; i++) {
    const SpanError *w = &c->windows[i];
    if (!w->n) continue;
    PooledPart part = part_of(p, c->experiment, c->channel, w->n, w->rmse);
    part.window = e->windows[i].name;
    array_push(a, &out->all, part);
  }
}

// ---------------------------------------------------------------- sums

// Whether part i belongs to the row that part `first` leads.
static bool belongs(const PooledPart *first, const PooledPart *part, bool by_unit) {
  if (!same_text(first->window, part->window) || !same_text(first->unit, part->unit)) return false;
  return by_unit || strcmp(first->variable, part->variable) == 0;
}

static PooledError sum_of(const PooledParts *parts, int first, bool by_unit, bool *one_variable) {
  const PooledPart *lead = &parts->all.at[first];
  PooledError out = {by_unit ? NULL : lead->variable, lead->unit, lead->window, 0, 0, 0, 0, 0};
  double squares = 0, spread = 0;
  int last = -1, last_failed = -1; // parts come by experiment
  *one_variable = true;
  for (int i = first; i < parts->all.count; i++) {
    const PooledPart *part = &parts->all.at[i];
    if (!belongs(lead, part, by_unit)) continue;
    *one_variable &= strcmp(lead->variable, part->variable) == 0;
    if (isnan(part->squares)) {
      out.failed += part->experiment != last_failed;
      last_failed = part->experiment;
      continue;
    }
    out.experiments += part->experiment != last;
    last = part->experiment;
    out.n += part->n;
    squares += part->squares;
    spread += part->spread;
  }
  out.rmse = out.n ? sqrt(squares / (double)out.n) : nan("");
  out.fit_percent = spread > 0 ? 100 * (1 - sqrt(squares / spread)) : nan("");
  return out;
}

static bool is_first(const PooledParts *parts, int i, bool by_unit) {
  for (int k = 0; k < i; k++)
    if (belongs(&parts->all.at[k], &parts->all.at[i], by_unit)) return false;
  return true;
}

// A unit that nobody names may be any: such variables are not added up.
static PooledErrors sums_of(Arena *a, const PooledParts *parts) {
  PooledErrors out = {0};
  for (int windows = 0; windows < 2; windows++)
    for (int by_unit = 0; by_unit < 2; by_unit++)
      for (int i = 0; i < parts->all.count; i++) {
        const PooledPart *lead = &parts->all.at[i];
        bool one_variable, known = lead->unit && lead->unit[0];
        if (!!lead->window != windows || (by_unit && !known) || !is_first(parts, i, by_unit))
          continue;
        PooledError e = sum_of(parts, i, by_unit, &one_variable);
        if (e.experiments + e.failed > 1 && !(by_unit && one_variable)) array_push(a, &out.rows, e);
      }
  return out;
}

PooledErrors pooled_of_fit(Arena *a, const Problem *p, const Statistics *s, const RunErrors *run) {
  PooledParts parts = {0};
  if (p->experiment_count < 2) return (PooledErrors){0};
  for (int i = 0; i < s->channel_count; i++) {
    const StatChannel *c = &s->channels[i];
    PooledPart part = part_of(p, c->experiment, c->channel, c->n, c->rmse);
    part.spread = channel_spread(&p->experiments[c->experiment].channels[c->channel]);
    array_push(a, &parts.all, part);
  }
  bool has_windows = run && !run->recorded;
  for (int i = 0; has_windows && i < run->channel_count; i++)
    add_windows(a, &parts, p, &run->channels[i]);
  return sums_of(a, &parts);
}

PooledErrors pooled_of_runs(Arena *a, const RunErrors *r) {
  PooledParts parts = {0};
  if (!r || r->problem->experiment_count < 2) return (PooledErrors){0};
  for (int i = 0; i < r->channel_count; i++) {
    const RunChannel *c = &r->channels[i];
    PooledPart part = part_of(r->problem, c->experiment, c->channel, c->all.n, c->all.rmse);
    Channel whole = r->problem->experiments[c->experiment].channels[c->channel];
    whole.from = NULL; // of the data, not of their increments
    part.spread = channel_spread(&whole);
    array_push(a, &parts.all, part);
  }
  for (int i = 0; i < r->channel_count; i++) add_windows(a, &parts, r->problem, &r->channels[i]);
  return sums_of(a, &parts);
}
