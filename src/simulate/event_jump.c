// At an event discrete variables are iterated as the language specification says (Modelica 3.6, appendix B): with pre(v)
// held, modes settle and give new values v; where some v differs from pre(v), pre(v) := v, and once more. When-clauses
// are active in the round in which their condition has become true, so that each is active once.
//
// Sensitivities: x+(t*) = J(t*, x-(t*), p). With tau = dt*/dp, D = S- + f- tau is the total derivative of x-(t*), each round
// gives D := J_x D + J_p + J_t tau, and S+ = D - f+ tau. Without jumps this is the rule of event.c.
#include "simulate/event_jump.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "simulate/event_settle.h"
#include "simulate/slide.h"

enum {
  ROUNDS_MOST = 100,  // of discrete variables at one time; a counter may need some
  UNSETTLED_MOST = 3, // of these, in which modes contradict each other
};

// ---------------------------------------------------------------- rounds

static bool differs(double a, double b) { // not a number equals itself
  return a != b && !(isnan(a) && isnan(b));
}

static void note_unsettled(EventWork *e, const char *name) {
  size_t used = strlen(e->unsettled);
  if (used < sizeof e->unsettled - 60)
    c_snprintf(e->unsettled + used, sizeof e->unsettled - used, "%s%.50s", used ? ", " : "", name);
}

static void note_terminate(EventWork *e) {
  const Model *m = e->work->system->model;
  const double *flag = e->after + e->work->system->nh + m->jump_count;
  for (int k = 0; k < m->flat->terminates.count && !e->terminated; k++)
    if (flag[k] != 0) e->terminated = k + 1;
}

// Takes what system_jump gave; whether anything changed.
static bool take_values(EventWork *e, double t, double *y) {
  const System *s = e->work->system;
  const Model *m = s->model;
  double *held = system_held(e->work), *jump = e->after + s->nh;
  bool changed = false, moved = false;
  e->unsettled[0] = 0;
  for (int k = 0; k < m->jump_count; k++)
    if (differs(jump[k], y[m->jump_state[k]])) {
      moved = true;
      note_unsettled(e, m->flat->variables.at[m->state[m->jump_state[k]]].name);
    }
  for (int k = 0; k < s->nh; k++)
    if (differs(e->after[k], held[k])) {
      changed = true;
      note_unsettled(e, m->flat->held.at[k].name);
    }
  if (changed || moved) system_jump_sens(e->work, t, y, e->moment, y + s->nx);
  for (int k = 0; k < m->jump_count && moved; k++) y[m->jump_state[k]] = jump[k];
  memcpy(held, e->after, (size_t)s->nh * sizeof *held);
  if (moved) e->jumped = true, event_forget_marks(e), slide_release(e, t, y);
  return changed || moved;
}

static bool settle_live(EventWork *e, double t, const double *y, int *event) {
  e->live = true;
  bool settled = e->work->system->ne == 0 || event_settle(e, t, y, event);
  e->live = false;
  return settled;
}

static bool next_round(EventWork *e, double t, double *y) {
  system_jump(e->work, t, y, e->after);
  note_terminate(e);
  return take_values(e, t, y);
}

// Modes contradict each other as long as pre(v) is what it was: a clutch begins to slide, and its relation holds only if
// it has slid before. They stay as the event has made them, and once more with what follows from that.
static bool goes_on_unsettled(EventWork *e, double t, double *y) {
  char unsettled[sizeof e->unsettled];
  memcpy(unsettled, e->unsettled, sizeof unsettled);
  for (int k = 0; k < e->work->system->ne; k++) system_set_mode(e->work, k, e->settled[k]);
  if (next_round(e, t, y)) return true;
  memcpy(e->unsettled, unsettled, sizeof unsettled);
  return false;
}

// A law that may hold the motion by a value of its own is asked about it before this value is in use.
static void find_needed(EventWork *e, const double *y) {
  system_needed(e->work, y, e->needed);
  for (int k = 0; k < e->work->system->ne && e->has_own_values; k++) e->needed[k] = 1;
}

bool event_iterate(EventWork *e, double t, double *y, int *event) {
  int unsettled = 0;
  for (int round = 0; round < ROUNDS_MOST; round++) {
    if (!settle_live(e, t, y, event)) {
      if (++unsettled > UNSETTLED_MOST || !goes_on_unsettled(e, t, y)) return false;
      continue;
    }
    if (next_round(e, t, y)) continue;
    find_needed(e, y);
    return true;
  }
  *event = -1;
  return false;
}

bool event_iterate_start(EventWork *e, double t, double *y, int *event) {
  e->jumped = false, e->terminated = 0;
  memset(e->moment, 0, (size_t)e->work->system->stride * sizeof *e->moment);
  if (next_round(e, t, y)) return event_iterate(e, t, y, event);
  find_needed(e, y);
  return true;
}

// ---------------------------------------------------------------- crossing

// That of one event, where the slopes before it are f_old.
static void find_moment(EventWork *e, double t, const double *y, int event, double *moment) {
  const System *s = e->work->system;
  memset(moment, 0, (size_t)s->stride * sizeof *moment);
  if (!s->ns) return;
  system_event_sens(e->work, t, y, event, e->f_old, &e->rate, e->by_column);
  for (int k = 0; k < s->ns && e->rate != 0; k++) moment[k] = -e->by_column[k] / e->rate;
}

// S += sign * f * dt/dp
static void add_motion(const EventWork *e, const double *f, double sign, double *y) {
  const System *s = e->work->system;
  for (int i = 0; i < s->nx; i++)
    for (int k = 0; k < s->ns; k++) y[s->nx + i * s->stride + k] += sign * f[i] * e->moment[k];
}

static void change_crossed(EventWork *e, int k) {
  double mode = k == e->found ? e->found_mode : event_wanted(e, k);
  e->crossed[k] = true;
  e->count[k]++;
  event_change(e, k, mode);
  e->pending[k] = false;
  e->held[k] = true;
}

// With everything that follows; the event moves by e->moment.
static bool finish_crossing(EventWork *e, double t, double *y, int *event) {
  if (!event_iterate(e, t, y, event) || !event_settle_slides(e, t, y, false, event)) return false;
  if (!e->work->system->ns) return true;
  slide_rhs(e, t, y, e->f_new);
  add_motion(e, e->f_new, -1, y);
  slide_project(e, t, y, true);
  return true;
}

// The event that was found, or where it was a surface that is left, the first of those that still wait; -1: none.
static int first_pending(const EventWork *e) {
  const System *s = e->work->system;
  if (e->pending[e->found]) return e->found;
  for (int i = 0; i < s->ne; i++)
    if (e->pending[s->events.order[i]]) return s->events.order[i];
  return -1;
}

static bool cross_together(EventWork *e, double t, double *y, int *event) {
  const System *s = e->work->system;
  if (e->common) {
    add_motion(e, e->f_before, 1, y);
  } else if (s->ns && first_pending(e) >= 0) {
    slide_rhs(e, e->near_t, e->near_x, e->f_old);
    find_moment(e, t, y, first_pending(e), e->moment);
    add_motion(e, e->f_old, 1, y);
  } else { // a surface that is left
    memset(e->moment, 0, (size_t)s->stride * sizeof *e->moment);
  }
  for (int i = 0; i < s->ne; i++)
    if (e->pending[s->events.order[i]]) change_crossed(e, s->events.order[i]);
  return finish_crossing(e, t, y, event);
}

// ---------------------------------------------------------------- several at one time

static bool cross_one_by_one(EventWork *e, double t, double *y, bool backwards, int *event) {
  const System *s = e->work->system;
  bool fine = true, first = true;
  e->one_by_one = true;
  for (int i = 0; i < s->ne && fine; i++) {
    int k = s->events.order[backwards ? s->ne - 1 - i : i];
    if (!e->pending[k]) continue;
    slide_rhs(e, first ? e->near_t : t, first ? e->near_x : y, e->f_old);
    find_moment(e, t, y, k, e->moment);
    add_motion(e, e->f_old, 1, y);
    event_look(e, t, y);
    change_crossed(e, k);
    fine = finish_crossing(e, t, y, event);
    first = false;
  }
  e->one_by_one = false;
  return fine && !e->terminated;
}

static bool moments_differ(EventWork *e, double t, const double *y) {
  static const double ALIKE = 1e-9;
  const System *s = e->work->system;
  slide_rhs(e, e->near_t, e->near_x, e->f_old);
  find_moment(e, t, y, first_pending(e), e->moment);
  for (int k = 0; k < s->ne; k++) {
    if (!e->pending[k] || k == first_pending(e)) continue;
    find_moment(e, t, y, k, e->other);
    for (int i = 0; i < s->ns; i++) {
      double a = e->moment[i], b = e->other[i];
      if (!(fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b)))) return true;
    }
  }
  return false;
}

// States, modes and discrete variables are as in the result, up to rounding errors.
static bool is_result(const EventWork *e, const double *y) {
  const System *s = e->work->system;
  const double *mode = e->result + s->nx, *held = mode + s->ne;
  for (int i = 0; i < s->nx; i++)
    if (!(fabs(y[i] - e->result[i]) <= EVENT_ROUNDING * fabs(y[i])) && differs(y[i], e->result[i]))
      return false;
  for (int k = 0; k < s->ne; k++)
    if (mode[k] != system_mode(e->work, k)) return false;
  for (int k = 0; k < s->nh; k++)
    if (differs(held[k], system_held(e->work)[k])) return false;
  return true;
}

static void take_result(EventWork *e, const double *y) {
  const System *s = e->work->system;
  double *mode = e->result + s->nx, *held = mode + s->ne;
  memcpy(e->result, y, (size_t)s->nx * sizeof *y);
  for (int k = 0; k < s->ne; k++) mode[k] = system_mode(e->work, k);
  memcpy(held, system_held(e->work), (size_t)s->nh * sizeof *held);
}

static bool same_sensitivities(const EventWork *e, const double *y) {
  static const double ALIKE = 1e-6;
  const System *s = e->work->system;
  for (int k = 0; k < s->ns; k++) {
    double size = 0, apart = 0;
    for (int i = 0; i < s->nx; i++) {
      int at = s->nx + i * s->stride + k;
      size = fmax(size, fmax(fabs(y[at]), fabs(e->in_order[at])));
      apart = fmax(apart, fabs(y[at] - e->in_order[at]));
    }
    if (!(apart <= ALIKE * size)) return false;
  }
  return true;
}

static bool again_one_by_one(EventWork *e, double t, double *y, bool backwards, int *event) {
  event_keep(e, MEMORY_RESTORE, y);
  e->jumped = false, e->terminated = 0;
  return cross_one_by_one(e, t, y, backwards, event) && is_result(e, y);
}

// Events that happen at one time by chance, such as those of two equal balls, have moments of their own. They are crossed together, and then
// one by one. If both orders lead to the same as all together, and with the same sensitivities, then these are right.
static bool cross_apart(EventWork *e, double t, double *y, int *event) {
  const System *s = e->work->system;
  event_keep(e, MEMORY_KEEP, y);
  bool fine = cross_together(e, t, y, event);
  if (!fine || e->terminated) return fine;
  take_result(e, y);
  bool alike = again_one_by_one(e, t, y, false, event);
  memcpy(e->in_order, y, (size_t)s->nx * (size_t)(1 + s->stride) * sizeof *y);
  if (alike && again_one_by_one(e, t, y, true, event) && same_sensitivities(e, y)) return true;
  event_keep(e, MEMORY_RESTORE, y);
  e->jumped = false, e->terminated = 0;
  return cross_together(e, t, y, event);
}

bool event_cross_jump(EventWork *e, double t, double *y, int *event) {
  const System *s = e->work->system;
  int pending = 0;
  e->jumped = false, e->terminated = 0;
  event_mark_crossed(e, t, y);
  e->common = event_common_moment(e, t, y, e->moment);
  if (slide_decide(e, t, y, !e->common) == SLIDE_UNCLEAR) return false;
  for (int k = 0; k < s->ne; k++) pending += e->pending[k];
  bool apart = s->ns && !e->common && pending > 1 && moments_differ(e, t, y);
  return (apart ? cross_apart : cross_together)(e, t, y, event);
}

// ---------------------------------------------------------------- known times

// What w goes to from the mode in use, at slope b. false: it goes away from its limit.
static bool next_mode(EventKind kind, double mode, double b, double *limit, double *next) {
  *limit = 0;
  switch (kind) {
  case EVENT_FLOOR:
    *limit = b > 0 ? mode + 1 : mode, *next = b > 0 ? mode + 1 : mode - 1;
    return true;
  case EVENT_SIGN: *next = b > 0 ? 1 : -1; return *next != mode;
  default: *next = b < 0; return *next != mode;
  }
}

double event_next_time(EventWork *e, double t, const double *x) {
  const System *s = e->work->system;
  double first = HUGE_VAL;
  system_timers(e->work, t, x, e->timer);
  for (int i = 0; i < s->timer_count; i++) {
    int k = s->timers[i];
    double b = e->timer[s->timer_count + i], limit, next;
    if (!(b != 0) || !next_mode(e->kind[k], system_mode(e->work, k), b, &limit, &next)) continue;
    double at = t + (limit - e->timer[i]) / b;
    if (!(at < first)) continue;
    first = at > t ? at : nextafter(t, HUGE_VAL);
    e->found = k, e->found_mode = next;
  }
  e->timer_event = e->found, e->timer_mode = e->found_mode;
  return first;
}

void event_found_at(EventWork *e, double t, const double *x) {
  e->found = e->timer_event, e->found_mode = e->timer_mode;
  e->near_t = t;
  memcpy(e->near_x, x, (size_t)e->work->system->nx * sizeof *x);
}

static bool is_sample(const Flat *f, int event) {
  for (int k = 0; k < f->held.count; k++)
    if (f->held.at[k].counts && f->held.at[k].value == f->events.at[event].mode) return true;
  return false;
}

int event_bad_sample(EventWork *e, double t, const double *x) {
  const System *s = e->work->system;
  system_timers(e->work, t, x, e->timer);
  for (int i = 0; i < s->timer_count; i++) {
    double rate = e->timer[s->timer_count + i];
    if (!(rate > 0 && isfinite(rate)) && is_sample(s->model->flat, s->timers[i]))
      return s->timers[i];
  }
  return -1;
}
