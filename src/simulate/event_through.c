#include "simulate/event_through.h"

#include <string.h>

enum {
  SMOOTH_TIMES = 20, // in a row
  STEPS_MOST = 100,  // in which they happened: fewer events cost less than following them
};

// A mode that other switching functions contain must stay an event: they would jump between events.
static bool can_be_followed(const EventWork *e, int k) {
  const Pattern *users = &e->work->system->events.users;
  return users->start[k + 1] == users->start[k] && e->smooth_times[k] >= SMOOTH_TIMES;
}

void event_note_smooth(EventWork *e, bool smooth) {
  int ne = e->work->system->ne;
  bool all = smooth;
  for (int k = 0; k < ne; k++) {
    if (!e->crossed[k]) continue;
    e->smooth_times[k] = smooth ? e->smooth_times[k] + 1 : 0;
    if (e->smooth_times[k] == 1) e->smooth_since[k] = e->steps;
    if (e->smooth_times[k] >= SMOOTH_TIMES && e->steps - e->smooth_since[k] > STEPS_MOST)
      e->smooth_times[k] = 0;
    all = all && can_be_followed(e, k);
  }
  for (int k = 0; k < ne && all; k++) {
    e->through_count += e->crossed[k] && !e->through[k];
    e->through[k] |= e->crossed[k];
  }
}

void event_locate_all(EventWork *e) {
  int ne = e->work->system->ne;
  if (!e->through_count) return;
  memset(e->through, 0, (size_t)ne * sizeof *e->through);
  memset(e->smooth_times, 0, (size_t)ne * sizeof *e->smooth_times);
  e->through_count = 0;
}

void event_follow(EventWork *e, double t, const double *x) {
  if (!e->through_count) return;
  system_events(e->work, t, x, e->followed);
  for (int k = 0; k < e->work->system->ne; k++)
    if (e->through[k] && isfinite(e->followed[k]))
      system_set_mode(e->work, k, event_literal(e, k, e->followed[k]));
}
