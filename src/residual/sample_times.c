#include "residual/sample_times.h"

#include <math.h>
#include <string.h>

static double delay_of(const Channel *c, const double *p) {
  return c->delay >= 0 && p ? p[c->delay] : 0;
}

static double time_of(const Experiment *e, const Channel *c, int sample, const double *p) {
  return fmax(e->start, c->t[sample] - delay_of(c, p));
}

static bool share_times(const Experiment *e) {
  for (int c = 1; c < e->channel_count; c++)
    if (e->channels[c].t != e->channels[0].t || e->channels[c].count != e->channels[0].count)
      return false;
  return e->channel_count > 0 && e->channels[0].count > 0 && e->channels[0].t[0] >= e->start;
}

static void take_times(Plan *plan, const Experiment *e) {
  plan->count = e->channels[0].count;
  memcpy(plan->times, e->channels[0].t, (size_t)plan->count * sizeof *plan->times);
  for (int c = 0; c < e->channel_count; c++)
    for (int i = 0; i < plan->count; i++) plan->channels[c].row[i] = i;
}

// Merges the channels' times, each of which increases.
void plan_update(Plan *plan, const Experiment *e, const double *p) {
  int next[64], *at = e->channel_count <= 64 ? next : NULL;
  Arena *scratch = at ? NULL : arena_new();
  if (!at) at = ARENA_ARRAY(scratch, int, e->channel_count);
  memset(at, 0, (size_t)e->channel_count * sizeof *at);
  plan->count = 0;
  for (;;) {
    double earliest = HUGE_VAL;
    for (int c = 0; c < e->channel_count; c++)
      if (at[c] < e->channels[c].count)
        earliest = fmin(earliest, time_of(e, &e->channels[c], at[c], p));
    if (earliest == HUGE_VAL) break;
    for (int c = 0; c < e->channel_count; c++)
      while (at[c] < e->channels[c].count && time_of(e, &e->channels[c], at[c], p) == earliest)
        plan->channels[c].row[at[c]++] = plan->count;
    plan->times[plan->count++] = earliest;
  }
  arena_free(scratch);
}

Plan *plan_new(Arena *a, const Experiment *e) {
  Plan *plan = ARENA_NEW(a, Plan);
  size_t most = 0;
  plan->channels = ARENA_ARRAY(a, PlanChannel, e->channel_count + 1);
  for (int c = 0; c < e->channel_count; c++) {
    most += (size_t)e->channels[c].count;
    plan->channels[c].row = ARENA_ARRAY(a, int, e->channels[c].count + 1);
    plan->delayed |= e->channels[c].delay >= 0;
  }
  plan->times = ARENA_ARRAY(a, double, most + 1);
  if (!plan->delayed && share_times(e))
    take_times(plan, e);
  else
    plan_update(plan, e, NULL);
  return plan;
}
