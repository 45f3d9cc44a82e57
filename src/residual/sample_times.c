// Merges the increasing sample times of the channels into one list, as in a merge sort.
#include "residual/sample_times.h"

#include <math.h>
#include <string.h>

static double time_of(const Experiment *e, const Channel *c, int sample, const double *p) {
  double delay = c->delay >= 0 && p ? p[c->delay] : 0;
  return fmax(e->start, c->t[sample] - delay);
}

static bool share_times(const Experiment *e) {
  for (int c = 1; c < e->channel_count; c++)
    if (e->channels[c].t != e->channels[0].t || e->channels[c].count != e->channels[0].count)
      return false;
  return e->channel_count > 0 && e->channels[0].count > 0 && e->channels[0].t[0] >= e->start;
}

// Merges the times of the channels, each of which increases.
void sample_times_update(SampleTimes *s, const Experiment *e, const double *p) {
  int few[64],
      *next = e->channel_count <= 64 ? few : NULL; // by channel: first sample not yet merged
  Arena *scratch = next ? NULL : arena_new();
  if (!next) next = ARENA_ARRAY(scratch, int, e->channel_count);
  memset(next, 0, (size_t)e->channel_count * sizeof *next);
  s->count = 0;
  for (;;) {
    double earliest = HUGE_VAL;
    for (int c = 0; c < e->channel_count; c++)
      if (next[c] < e->channels[c].count)
        earliest = fmin(earliest, time_of(e, &e->channels[c], next[c], p));
    if (earliest == HUGE_VAL) break;
    for (int c = 0; c < e->channel_count; c++)
      while (next[c] < e->channels[c].count && time_of(e, &e->channels[c], next[c], p) == earliest)
        s->row[c][next[c]++] = s->count;
    s->at[s->count++] = earliest;
  }
  arena_free(scratch);
}

SampleTimes *sample_times_new(Arena *a, const Experiment *e) {
  SampleTimes *s = ARENA_NEW(a, SampleTimes);
  size_t most = 0;
  s->row = ARENA_ARRAY(a, int *, e->channel_count + 1);
  for (int c = 0; c < e->channel_count; c++) {
    most += (size_t)e->channels[c].count;
    s->row[c] = ARENA_ARRAY(a, int, e->channels[c].count + 1);
    s->delayed |= e->channels[c].delay >= 0;
  }
  s->at = ARENA_ARRAY(a, double, most + 1);
  if (s->delayed || !share_times(e)) {
    sample_times_update(s, e, NULL);
    return s;
  }
  s->count = e->channels[0].count;
  memcpy(s->at, e->channels[0].t, (size_t)s->count * sizeof *s->at);
  for (int c = 0; c < e->channel_count; c++)
    for (int i = 0; i < s->count; i++) s->row[c][i] = i;
  return s;
}

int samples_in_horizon(const Experiment *e, int channel, double horizon) {
  const Channel *c = &e->channels[channel];
  int n = c->count;
  if (horizon >= 1) return n;
  double end = e->start + horizon * (e->stop - e->start);
  while (n > 0 && time_of(e, c, n - 1, NULL) > end) n--;
  return n;
}

int rows_in_horizon(const SampleTimes *s, const Experiment *e, double horizon) {
  if (horizon >= 1) return s->count;
  int rows = 0;
  for (int c = 0; c < e->channel_count; c++) {
    int n = samples_in_horizon(e, c, horizon);
    if (n > 0 && s->row[c][n - 1] >= rows) rows = s->row[c][n - 1] + 1;
  }
  return rows;
}
