#include "simulate/event_work.h"

#include <math.h>

static EventSample new_sample(Arena *a, int ne) {
  return (EventSample){0, ARENA_ARRAY(a, double, ne + 8), ARENA_ARRAY(a, double, ne + 8)};
}

static int surface_of(const System *s, int event) {
  int k = s->surfaces.of[event];
  return k < 0 ? -1 : s->surfaces.row[k];
}

static void list_events(Arena *a, const System *s, EventWork *e) {
  int surfaces = s->surfaces.count, *count = ARENA_ARRAY(a, int, surfaces);
  e->events_of = ARENA_ARRAY(a, int *, surfaces);
  for (int j = 0; j < s->ne; j++)
    if (surface_of(s, j) >= 0) count[surface_of(s, j)]++;
  for (int i = 0; i < surfaces; i++) {
    e->events_of[i] = ARENA_ARRAY(a, int, count[i] + 1);
    e->events_of[i][count[i]] = -1;
  }
  for (int j = s->ne - 1; j >= 0; j--)
    if (surface_of(s, j) >= 0) e->events_of[surface_of(s, j)][--count[surface_of(s, j)]] = j;
}

static void new_slide(Arena *a, const System *s, EventWork *e) {
  e->drift = ARENA_ARRAY(a, double, s->ne + 1);
  e->grace = ARENA_ARRAY(a, double, s->ne + 1);
  int surfaces = s->surfaces.count;
  e->slides = ARENA_ARRAY(a, bool, s->ne + 1);
  e->decided = ARENA_ARRAY(a, bool, s->ne + 1);
  e->sticks = ARENA_ARRAY(a, long, s->ne + 1);
  if (!surfaces) return;
  e->own_side = ARENA_ARRAY(a, int, s->ne + 1);
  e->own_low = ARENA_ARRAY(a, double, s->ne + 1);
  e->own_high = ARENA_ARRAY(a, double, s->ne + 1);
  e->own_size = ARENA_ARRAY(a, double, s->ne + 1);
  list_events(a, s, e);
  e->arrival_rate = ARENA_ARRAY(a, double, surfaces + 8);
  e->modes_before = ARENA_ARRAY(a, double, s->ne + 1);
  e->before_slide = ARENA_ARRAY(a, double, s->ne + 1);
  e->off = ARENA_ARRAY(a, double, s->ne + 1);
  e->slide_rate = ARENA_ARRAY(a, double, surfaces + 8);
  e->share_by = ARENA_ARRAY(a, double, SLIDE_MOST * s->stride + 16);
  int jacobian = s->kernel[KERNEL_JACOBIAN].code ? pattern_count(&s->sparse.jacobian) + s->nx : 0;
  int n = s->nx * (1 + s->stride), others[] = {s->ny * (1 + s->np), s->ne, jacobian};
  for (int i = 0; i < 3; i++)
    if (others[i] > n) n = others[i];
  e->mixed = ARENA_ARRAY(a, double, n + 16);
  e->moved = ARENA_ARRAY(a, double, n + 16);
  e->contribution = ARENA_ARRAY(a, double, n + 16);
  e->leaving = ARENA_ARRAY(a, double, s->nx *(1 + s->stride) + 16);
  e->leave_moment = ARENA_ARRAY(a, double, s->stride + 16);
  e->arriving = ARENA_ARRAY(a, double, s->nx + 16);
  int corners = surfaces < SLIDE_MOST ? surfaces + 1 : SLIDE_MOST + 1;
  for (int c = 0; c < corners; c++) {
    e->corner[c] = ARENA_ARRAY(a, double, n + 16);
    e->slide_by[c] = ARENA_ARRAY(a, double, surfaces * s->stride + 16);
  }
}

EventWork *event_work_new(Arena *a, SystemWork *work) {
  const System *s = work->system;
  EventWork *e = ARENA_NEW(a, EventWork);
  e->work = work;
  e->kind = ARENA_ARRAY(a, EventKind, s->ne + 1);
  for (int k = 0; k < s->ne; k++) e->kind[k] = s->model->flat->events.at[k].kind;
  e->w = ARENA_ARRAY(a, double, s->ne + 8);
  e->trial = new_sample(a, s->ne);
  for (int i = 0; i < 2; i++) e->end[i] = new_sample(a, s->ne);
  for (int d = 0; d <= EVENT_DEPTH; d++)
    for (int i = 0; i < EVENT_PARTS; i++) e->part[d][i] = new_sample(a, s->ne);
  e->x = ARENA_ARRAY(a, double, s->nx + s->nx * s->stride + 16);
  e->size = ARENA_ARRAY(a, double, s->ne + 1);
  e->low = ARENA_ARRAY(a, double, s->ne + 1);
  e->high = ARENA_ARRAY(a, double, s->ne + 1);
  e->next = ARENA_ARRAY(a, double, s->ne + 8);
  e->rests = ARENA_ARRAY(a, bool, s->ne + 1);
  e->forgiven = ARENA_ARRAY(a, double, s->ne + 8);
  e->frozen_forgiven = ARENA_ARRAY(a, double, s->ne + 8);
  e->scale = ARENA_ARRAY(a, double, s->ne + 8);
  e->frozen_rests = ARENA_ARRAY(a, bool, s->ne + 1);
  e->near_x = ARENA_ARRAY(a, double, s->nx + 16);
  e->pending = ARENA_ARRAY(a, bool, s->ne + 1);
  e->held = ARENA_ARRAY(a, bool, s->ne + 1);
  e->changes = ARENA_ARRAY(a, int, s->ne + 1);
  e->settled = ARENA_ARRAY(a, double, s->ne + 8);
  e->changed_at = ARENA_ARRAY(a, double, s->ne + 8);
  e->tried = ARENA_ARRAY(a, bool, s->ne + 1);
  e->crossed = ARENA_ARRAY(a, bool, s->ne + 1);
  e->through = ARENA_ARRAY(a, bool, s->ne + 1);
  e->smooth_times = ARENA_ARRAY(a, int, s->ne + 1);
  e->smooth_since = ARENA_ARRAY(a, long, s->ne + 1);
  e->followed = ARENA_ARRAY(a, double, s->ne + 8);
  e->bend = ARENA_ARRAY(a, double, s->nx + 16);
  e->frozen = ARENA_ARRAY(a, double, s->ne + 8);
  e->f_before = ARENA_ARRAY(a, double, s->nx + 16);
  e->f_old = ARENA_ARRAY(a, double, s->nx + 16);
  e->slope = ARENA_ARRAY(a, double, s->nx + 16);
  e->f_new = ARENA_ARRAY(a, double, s->nx + 16);
  e->by_column = ARENA_ARRAY(a, double, s->stride + 16);
  e->count = ARENA_ARRAY(a, long, s->ne + 1);
  e->moment = ARENA_ARRAY(a, double, s->stride + 16);
  e->stuck = e->slips = -1;
  new_slide(a, s, e);
  if (s->hybrid) {
    e->later = ARENA_ARRAY(a, double, s->ne + 8);
    e->after = ARENA_ARRAY(a, double, s->kernel[KERNEL_JUMP].results + 8);
    e->timer = ARENA_ARRAY(a, double, 2 * s->timer_count + 8);
    e->needed = ARENA_ARRAY(a, double, s->ne + 8);
  }
  if (s->hybrid && s->ns) {
    e->other = ARENA_ARRAY(a, double, s->stride + 16);
    e->kept = ARENA_ARRAY(a, char, event_keep(e, MEMORY_COUNT, NULL) + 1);
    e->result = ARENA_ARRAY(a, double, s->nx + s->ne + s->nh + 1);
    e->in_order = ARENA_ARRAY(a, double, s->nx *(1 + s->stride) + 1);
  }
  return e;
}

void event_memory(EventWork *e, Memory *m) {
  const System *s = e->work->system;
  int ne = s->ne;
  MEMORY_ARRAY(m, e->work->par + s->at.mode, ne);
  MEMORY_ARRAY(m, e->work->par + s->at.held, s->nh);
  if (s->surfaces.count) {
    MEMORY_ARRAY(m, e->slide, SLIDE_MOST);
    MEMORY_VALUE(m, e->slide_count);
    MEMORY_ARRAY(m, e->slides, ne);
    MEMORY_ARRAY(m, e->kind, ne);
    MEMORY_ARRAY(m, e->own_side, ne);
    MEMORY_ARRAY(m, e->drift, ne);
    MEMORY_ARRAY(m, e->grace, ne);
    MEMORY_ARRAY(m, e->own_low, ne);
    MEMORY_ARRAY(m, e->own_high, ne);
    MEMORY_ARRAY(m, e->own_size, ne);
  }
  MEMORY_VALUE(m, e->span);
  MEMORY_VALUE(m, e->resolved);
  MEMORY_ARRAY(m, e->rests, ne);
  MEMORY_ARRAY(m, e->forgiven, ne);
  MEMORY_ARRAY(m, e->low, ne);
  MEMORY_ARRAY(m, e->high, ne);
  MEMORY_ARRAY(m, e->scale, ne);
  MEMORY_ARRAY(m, e->size, ne);
  for (int i = 0; i < 2; i++) MEMORY_ARRAY(m, e->end[i].w, ne);
  MEMORY_VALUE(m, e->last_time);
  MEMORY_VALUE(m, e->repeats);
  MEMORY_ARRAY(m, e->count, ne);
  MEMORY_ARRAY(m, e->through, ne);
  MEMORY_VALUE(m, e->through_count);
  MEMORY_ARRAY(m, e->smooth_times, ne);
  MEMORY_ARRAY(m, e->smooth_since, ne);
  MEMORY_VALUE(m, e->steps);
  MEMORY_VALUE(m, e->jumped);
  MEMORY_VALUE(m, e->stuck);
  if (s->hybrid) MEMORY_ARRAY(m, e->needed, ne);
}

size_t event_keep(EventWork *e, MemoryUse use, double *y) {
  const System *s = e->work->system;
  Memory m = {use, e->kept, 0};
  event_memory(e, &m);
  MEMORY_ARRAY(&m, e->pending, s->ne);
  MEMORY_ARRAY(&m, e->held, s->ne);
  MEMORY_ARRAY(&m, e->crossed, s->ne);
  MEMORY_ARRAY(&m, y, s->nx * (1 + s->stride));
  return m.bytes;
}

double event_literal_of(EventKind kind, double w) {
  switch (kind) {
  case EVENT_FLOOR: return floor(w);
  case EVENT_SIGN: return (w > 0) - (w < 0);
  case EVENT_NOT_POSITIVE: return w <= 0;
  case EVENT_NEGATIVE: break;
  }
  return w < 0;
}
