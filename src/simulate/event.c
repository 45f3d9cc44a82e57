#include "simulate/event.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 4, ROUNDS = 30, REPEATS_MOST = 40 };

struct EventWork {
  SystemWork *work;
  const Model *model;
  double *g;            // switching functions
  double *before;       // margins at a trial time
  double *left, *right; // margins at the ends of a part of the step
  double rate;          // of the switching function that was crossed
  double *x;            // states at a trial time
  double *near_x;       // states just before the event that was found
  double near_t;
  double *frozen; // modes while the true ones are in use
  double *f_old, *f_new, *by_column;
  double last_time;
  int repeats; // events at the same time
};

EventWork *event_work_new(Arena *a, SystemWork *w) {
  const System *s = w->system;
  int numbers = s->nx + s->nx * s->stride;
  EventWork *e = ARENA_NEW(a, EventWork);
  e->work = w;
  e->model = s->model;
  e->g = ARENA_ARRAY(a, double, s->ne + 8);
  e->before = ARENA_ARRAY(a, double, s->ne + 8);
  e->left = ARENA_ARRAY(a, double, s->ne + 8);
  e->right = ARENA_ARRAY(a, double, s->ne + 8);
  e->x = ARENA_ARRAY(a, double, numbers + 16);
  e->near_x = ARENA_ARRAY(a, double, s->nx + 16);
  e->frozen = ARENA_ARRAY(a, double, s->ne + 8);
  e->f_old = ARENA_ARRAY(a, double, s->nx + 16);
  e->f_new = ARENA_ARRAY(a, double, s->nx + 16);
  e->by_column = ARENA_ARRAY(a, double, s->stride + 16);
  return e;
}

// How far an event is from happening: positive while its mode is right.
static double margin(const EventWork *e, int k, double g) {
  double mode = system_mode(e->work, k);
  if (e->model->flat->events.at[k].kind == EVENT_FLOOR) return fmin(g - mode, mode + 1 - g);
  return mode != 0 ? -g : g;
}

static double new_mode(const EventWork *e, int k, double g) {
  double mode = system_mode(e->work, k);
  if (e->model->flat->events.at[k].kind == EVENT_FLOOR) return g < mode + 0.5 ? mode - 1 : mode + 1;
  return 1 - mode;
}

bool event_true_modes(EventWork *e, double t, const double *x) {
  bool changed = false;
  system_events(e->work, t, x, e->g);
  for (int k = 0; k < e->work->system->ne; k++) {
    e->frozen[k] = system_mode(e->work, k);
    if (!(margin(e, k, e->g[k]) < 0)) continue;
    system_set_mode(e->work, k, new_mode(e, k, e->g[k]));
    changed = true;
  }
  return changed;
}

void event_frozen_modes(EventWork *e) {
  for (int k = 0; k < e->work->system->ne; k++) system_set_mode(e->work, k, e->frozen[k]);
}

// d(switching)/dt along the motion
static double rate_of(EventWork *e, double t, const double *y, int k) {
  const System *s = e->work->system;
  double h = 1e-7 * (1 + fabs(t)), before, after;
  system_rhs(e->work, t, y, e->f_old);
  system_events(e->work, t, y, e->g);
  before = e->g[k];
  for (int i = 0; i < s->nx; i++) e->x[i] = y[i] + h * e->f_old[i];
  system_events(e->work, t + h, e->x, e->g);
  after = e->g[k];
  return (after - before) / h;
}

void event_begin(EventWork *e, double t, const double *y) {
  int ne = e->work->system->ne;
  e->last_time = t;
  e->repeats = 0;
  system_events(e->work, t, y, e->before);
  for (int k = 0; k < ne; k++) {
    if (e->model->flat->events.at[k].kind != EVENT_RELATION || e->before[k] != 0) continue;
    double rate = rate_of(e, t, y, k);
    if (rate != 0) system_set_mode(e->work, k, rate < 0);
  }
}

static void margins_at(EventWork *e, Stepper *s, double t, double *out) {
  int ne = e->work->system->ne;
  if (t == s->t)
    memcpy(e->x, s->y, (size_t)e->work->system->nx * sizeof(double));
  else
    s->row->dense(s, t, false, e->x);
  system_events(e->work, t, e->x, e->g);
  for (int k = 0; k < ne; k++) out[k] = margin(e, k, e->g[k]);
}

// Between a (margin of k not negative) and b (negative): Illinois, then the ends before and behind the kink.
static double locate(EventWork *e, Stepper *s, int k, double a, double fa, double b, double fb,
                     double *before) {
  int side = 0;
  for (int i = 0; i < 100; i++) {
    double close = 2e-16 * fmax(fabs(a), fabs(b));
    if (b - a <= 2 * close) break;
    double m = fa > fb && i % 8 != 7 ? (fa * b - fb * a) / (fa - fb) : 0.5 * (a + b);
    if (!(m > a + close && m < b - close)) m = 0.5 * (a + b);
    margins_at(e, s, m, e->before);
    double fm = e->before[k];
    if (fm < 0) {
      b = m, fb = fm;
      if (side == -1) fa /= 2;
      side = -1;
    } else {
      a = m, fa = fm;
      if (side == 1) fb /= 2;
      side = 1;
    }
    if (fb >= -1e-300 && fb < 0) break;
  }
  *before = a;
  return b;
}

bool event_find(EventWork *e, Stepper *s, double *at, int *event) {
  int ne = e->work->system->ne;
  double a = s->t_old;
  bool found = false;
  double *left = e->left, *right = e->right;
  memcpy(e->x, s->y_old, (size_t)e->work->system->nx * sizeof(double));
  system_events(e->work, a, e->x, e->g);
  for (int k = 0; k < ne; k++) left[k] = fmax(0, margin(e, k, e->g[k]));
  for (int i = 1; i <= SAMPLES && !found; i++) {
    double b = i == SAMPLES ? s->t : s->t_old + (s->t - s->t_old) * i / SAMPLES;
    margins_at(e, s, b, right);
    for (int k = 0; k < ne; k++) {
      if (!(right[k] < 0)) continue;
      double before, t = locate(e, s, k, a, left[k], b, right[k], &before);
      if (!found || t < *at) *at = t, *event = k, e->near_t = before;
      found = true;
    }
    memcpy(left, right, (size_t)ne * sizeof *left);
    a = b;
  }
  if (found) s->row->dense(s, e->near_t, false, e->near_x);
  return found;
}

// The states go on, their slope jumps from f_old to f_new: S += (f_old - f_new) dt/dp, where dt/dp = -by_column/rate is
// how the time of the event moves.
static void carry_sensitivities(EventWork *e, double *y) {
  const System *s = e->work->system;
  if (e->rate == 0) return; // a touch without crossing: the time of the event has no derivative
  for (int i = 0; i < s->nx; i++) {
    double jump = e->f_old[i] - e->f_new[i];
    if (jump == 0) continue;
    for (int k = 0; k < s->ns; k++)
      y[s->nx + i * s->stride + k] -= jump * e->by_column[k] / e->rate;
  }
}

// Modes that are wrong after the first has changed change too.
static bool settle(EventWork *e, double t, const double *y) {
  int ne = e->work->system->ne;
  for (int round = 0; round < ROUNDS + ne; round++) {
    bool changed = false;
    system_events(e->work, t, y, e->g);
    for (int k = 0; k < ne && !changed; k++) {
      double scale = 1e-12 * (1 + fabs(e->g[k]));
      if (margin(e, k, e->g[k]) >= -scale) continue;
      system_set_mode(e->work, k, new_mode(e, k, e->g[k]));
      changed = true;
    }
    if (!changed) return true;
  }
  return false;
}

bool event_pass(EventWork *e, double t, double *y, int event) {
  const System *s = e->work->system;
  e->repeats = t - e->last_time <= 1e-13 * (1 + fabs(t)) ? e->repeats + 1 : 0;
  e->last_time = t;
  if (e->repeats > REPEATS_MOST) return false;
  system_rhs(e->work, e->near_t, e->near_x, e->f_old);
  if (s->ns) system_event_sens(e->work, t, y, event, e->f_old, &e->rate, e->by_column);
  system_events(e->work, t, y, e->g);
  system_set_mode(e->work, event, new_mode(e, event, e->g[event]));
  if (!settle(e, t, y)) return false;
  system_rhs(e->work, t, y, e->f_new);
  if (s->ns) carry_sensitivities(e, y);
  return true;
}
