// Events of switching functions w(t, x). Location: each accepted step is sampled from the dense output at five points,
// and halved until these tell w (their fourth difference is small); a change of sign, or a dip below 0 that a parabola
// predicts, is then located by the Illinois method (Dowell and Jarratt 1971).
//
// Sensitivities: at the time t*(p) of an event x is continuous and its slope jumps from f_old to f_new, so S_new =
// S_old + (f_old - f_new) dt*/dp with dt*/dp = -(w_x S + w_p) / (w_x f_old + w_t) (Galan, Feehery and Barton 1999,
// Appl. Numer. Math. 31:17).
#include "simulate/event.h"

#include <math.h>
#include <string.h>

enum {
  PARTS = 4,       // of a stretch of time in which the switching functions are looked at
  DEPTH_MOST = 12, // stretches are halved so often until their samples tell the functions
  ROUNDS = 30,
  REPEATS_MOST = 40,
};

typedef struct Sample { // of the switching functions
  double t;
  double *w, *margin; // by event
} Sample;

struct EventWork {
  SystemWork *work;
  const Model *model;
  double *w;                          // switching functions
  double *before;                     // margins at a trial time
  Sample end[2];                      // of the step
  Sample part[DEPTH_MOST + 1][PARTS]; // inside a stretch: the ends of its parts, and one to check
  int depth;                          // how deep the last search went
  double rate;                        // of the switching function that was crossed
  double *x;                          // states at a trial time
  double *near_x;                     // states just before the event that was found
  double near_t;
  Sample trial;   // while an event is located
  double *frozen; // modes while the true ones are in use
  double *f_old, *f_new, *by_column;
  int *happened; // events at the same time
  double last_time;
  int repeats; // events at the same time
};

static Sample new_sample(Arena *a, int ne) {
  return (Sample){0, ARENA_ARRAY(a, double, ne + 8), ARENA_ARRAY(a, double, ne + 8)};
}

EventWork *event_work_new(Arena *a, SystemWork *work) {
  const System *s = work->system;
  int numbers = s->nx + s->nx * s->stride;
  EventWork *e = ARENA_NEW(a, EventWork);
  e->work = work;
  e->model = s->model;
  e->w = ARENA_ARRAY(a, double, s->ne + 8);
  e->before = ARENA_ARRAY(a, double, s->ne + 8);
  e->trial = new_sample(a, s->ne);
  for (int i = 0; i < 2; i++) e->end[i] = new_sample(a, s->ne);
  for (int d = 0; d <= DEPTH_MOST; d++)
    for (int i = 0; i < PARTS; i++) e->part[d][i] = new_sample(a, s->ne);
  e->x = ARENA_ARRAY(a, double, numbers + 16);
  e->near_x = ARENA_ARRAY(a, double, s->nx + 16);
  e->frozen = ARENA_ARRAY(a, double, s->ne + 8);
  e->f_old = ARENA_ARRAY(a, double, s->nx + 16);
  e->f_new = ARENA_ARRAY(a, double, s->nx + 16);
  e->by_column = ARENA_ARRAY(a, double, s->stride + 16);
  e->happened = ARENA_ARRAY(a, int, s->ne + 1);
  return e;
}

// How far an event is from happening: positive while its mode is right.
static double margin(const EventWork *e, int k, double w) {
  double mode = system_mode(e->work, k);
  switch (e->model->flat->events.at[k].kind) {
  case EVENT_FLOOR: return fmin(w - mode, mode + 1 - w);
  case EVENT_SIGN: return mode != 0 ? mode * w : -fabs(w);
  default: return mode != 0 ? -w : w;
  }
}

static double new_mode(const EventWork *e, int k, double w) {
  double mode = system_mode(e->work, k);
  switch (e->model->flat->events.at[k].kind) {
  case EVENT_FLOOR: // inputs may jump far
    return w < mode + 0.5 ? fmin(mode - 1, floor(w)) : fmax(mode + 1, floor(w));
  case EVENT_SIGN: return mode != 0 ? -mode : copysign(1, w);
  default: return 1 - mode;
  }
}

bool event_true_modes(EventWork *e, double t, const double *x) {
  bool changed = false;
  system_events(e->work, t, x, e->w);
  for (int k = 0; k < e->work->system->ne; k++) {
    e->frozen[k] = system_mode(e->work, k);
    if (!(margin(e, k, e->w[k]) < 0)) continue;
    system_set_mode(e->work, k, new_mode(e, k, e->w[k]));
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
  system_events(e->work, t, y, e->w);
  before = e->w[k];
  for (int i = 0; i < s->nx; i++) e->x[i] = y[i] + h * e->f_old[i];
  system_events(e->work, t + h, e->x, e->w);
  after = e->w[k];
  return (after - before) / h;
}

void event_begin(EventWork *e, double t, const double *y) {
  int ne = e->work->system->ne;
  e->last_time = t;
  e->repeats = 0;
  system_events(e->work, t, y, e->before);
  for (int k = 0; k < ne; k++) {
    EventKind kind = e->model->flat->events.at[k].kind;
    if (kind == EVENT_FLOOR || e->before[k] != 0) continue;
    double rate = rate_of(e, t, y, k);
    if (rate != 0) system_set_mode(e->work, k, kind == EVENT_SIGN ? copysign(1, rate) : rate < 0);
  }
}

bool event_next_modes(EventWork *e, double t, const double *y) {
  int ne = e->work->system->ne;
  bool changed = false;
  system_events(e->work, t, y, e->before);
  for (int k = 0; k < ne; k++) e->frozen[k] = system_mode(e->work, k);
  for (int k = 0; k < ne; k++) {
    double w = e->before[k];
    if (margin(e, k, w) != 0) continue;
    double next = w + 1e-7 * rate_of(e, t, y, k);
    if (!(margin(e, k, next) < 0)) continue;
    system_set_mode(e->work, k, new_mode(e, k, next));
    changed = true;
  }
  return changed;
}

static void sample_at(EventWork *e, Stepper *s, double t, Sample *out) {
  int ne = e->work->system->ne;
  size_t bytes = (size_t)e->work->system->nx * sizeof(double);
  if (t == s->t)
    memcpy(e->x, s->y, bytes);
  else if (t == s->t_old)
    memcpy(e->x, s->y_old, bytes);
  else
    s->row->dense(s, t, false, e->x);
  out->t = t;
  system_events(e->work, t, e->x, out->w);
  for (int k = 0; k < ne; k++) out->margin[k] = margin(e, k, out->w[k]);
}

typedef struct Crossing {
  int event;
  double before, at;
  bool found;
} Crossing;

// Between a (margin of k not negative) and b (negative): Illinois, then the ends before and behind the kink.
static void locate(EventWork *e, Stepper *s, int k, double a, double fa, double b, double fb,
                   Crossing *out) {
  int side = 0;
  fa = fmax(0, fa);
  for (int i = 0; i < 100; i++) {
    double close = 2e-16 * fmax(fabs(a), fabs(b));
    if (b - a <= 2 * close) break;
    double m = fa > fb && i % 8 != 7 ? (fa * b - fb * a) / (fa - fb) : 0.5 * (a + b);
    if (!(m > a + close && m < b - close)) m = 0.5 * (a + b);
    sample_at(e, s, m, &e->trial);
    double fm = e->trial.margin[k];
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
  if (!out->found || b < out->at) *out = (Crossing){k, a, b, true};
}

// The polynomial through five samples at equal distances, at theta in [0, 1].
static double interpolate(const Sample *const q[PARTS + 1], int k, double theta) {
  double sum = 0;
  for (int i = 0; i <= PARTS; i++) {
    double weight = 1;
    for (int j = 0; j <= PARTS; j++)
      if (j != i) weight *= (PARTS * theta - j) / (i - j);
    sum += weight * q[i]->w[k];
  }
  return sum;
}

// Whether the samples tell what the switching functions do between them: their fourth difference is small, and so is
// the error at one more point, unless the function is far from its event.
static bool samples_suffice(const EventWork *e, const Sample *const q[PARTS + 1],
                            const Sample *check, double theta) {
  for (int k = 0; k < e->work->system->ne; k++) {
    double scale = 0, least = HUGE_VAL;
    for (int i = 0; i <= PARTS; i++) {
      scale = fmax(scale, fabs(q[i]->margin[k]));
      least = fmin(least, fabs(q[i]->margin[k]));
    }
    double bend = q[0]->w[k] - 4 * q[1]->w[k] + 6 * q[2]->w[k] - 4 * q[3]->w[k] + q[4]->w[k];
    double error = fmax(fabs(bend), fabs(interpolate(q, k, theta) - check->w[k]));
    if (error > 0.05 * scale && error > 0.5 * least) return false;
  }
  return true;
}

// Three samples on the right side may have a dip between them that reaches the wrong one.
static void look_into_dip(EventWork *e, Stepper *s, int k, const Sample *const q[3],
                          Crossing *out) {
  double left = q[0]->margin[k], middle = q[1]->margin[k], right = q[2]->margin[k];
  double curvature = left - 2 * middle + right, slope = (right - left) / 2;
  if (!(curvature > 0) || fabs(slope) >= curvature ||
      middle - slope * slope / (2 * curvature) > 0.05 * middle)
    return;
  double t = q[1]->t - slope / curvature * (q[2]->t - q[1]->t);
  if (!(t > q[0]->t && t < q[2]->t)) return;
  sample_at(e, s, t, &e->trial);
  double dip = e->trial.margin[k];
  if (dip < 0) locate(e, s, k, q[0]->t, left, t, dip, out);
}

static void look_between(EventWork *e, Stepper *s, const Sample *const q[PARTS + 1],
                         Crossing *out) {
  int ne = e->work->system->ne;
  for (int i = 1; i <= PARTS && !out->found; i++)
    for (int k = 0; k < ne; k++) {
      if (q[i]->margin[k] < 0)
        locate(e, s, k, q[i - 1]->t, q[i - 1]->margin[k], q[i]->t, q[i]->margin[k], out);
      else if (i < PARTS && q[i - 1]->margin[k] >= 0 && q[i + 1]->margin[k] >= 0)
        look_into_dip(e, s, k, q + i - 1, out);
    }
}

static void search(EventWork *e, Stepper *s, const Sample *a, const Sample *b, int depth,
                   Crossing *out) {
  const double theta = 0.618;
  double width = b->t - a->t;
  Sample *part = e->part[depth];
  const Sample *q[PARTS + 1] = {a, &part[0], &part[1], &part[2], b};
  for (int i = 1; i < PARTS; i++) sample_at(e, s, a->t + width * i / PARTS, &part[i - 1]);
  sample_at(e, s, a->t + width * theta, &part[PARTS - 1]);
  if (depth > e->depth) e->depth = depth;
  if (depth == DEPTH_MOST || samples_suffice(e, q, &part[PARTS - 1], theta)) {
    look_between(e, s, q, out);
    return;
  }
  search(e, s, a, q[PARTS / 2], depth + 1, out);
  if (!out->found) search(e, s, q[PARTS / 2], b, depth + 1, out);
}

bool event_find(EventWork *e, Stepper *s, double *before, double *at, int *event) {
  Crossing c = {0};
  e->depth = 0;
  sample_at(e, s, s->t_old, &e->end[0]);
  sample_at(e, s, s->t, &e->end[1]);
  search(e, s, &e->end[0], &e->end[1], 0, &c);
  if (e->depth > 1)
    s->h_next =
        copysign(fmin(fabs(s->h_next), ldexp(fabs(s->t - s->t_old), 3 - e->depth)), s->h_next);
  if (!c.found) return false;
  s->row->dense(s, c.before, false, e->near_x);
  *before = e->near_t = c.before;
  *at = c.at;
  *event = c.event;
  return true;
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

static double rounding(double w) {
  return 1e-12 * (1 + fabs(w));
}

// Modes that are wrong after the first has changed change too.
static bool settle(EventWork *e, double t, const double *y, int *event) {
  int ne = e->work->system->ne;
  for (int round = 0; round < ROUNDS + ne; round++) {
    bool changed = false;
    system_events(e->work, t, y, e->w);
    for (int k = 0; k < ne && !changed; k++) {
      if (margin(e, k, e->w[k]) >= -rounding(e->w[k])) continue;
      system_set_mode(e->work, k, new_mode(e, k, e->w[k]));
      changed = true;
      *event = k;
    }
    if (!changed) return true;
  }
  return false;
}

// Events that have happened by now under the modes in use, `first` before the others.
static int list_happened(EventWork *e, double t, const double *y, int first) {
  int ne = e->work->system->ne, count = 0;
  e->happened[count++] = first;
  system_events(e->work, t, y, e->w);
  for (int k = 0; k < ne; k++)
    if (k != first && margin(e, k, e->w[k]) < 0) e->happened[count++] = k;
  return count;
}

// Events at the same time follow one after the other: each moves in its own way with the parameters. Modes that change
// because others have changed belong to the last.
bool event_pass(EventWork *e, double t, double *y, int event) {
  const System *s = e->work->system;
  e->repeats = t - e->last_time <= 1e-13 * (1 + fabs(t)) ? e->repeats + 1 : 0;
  e->last_time = t;
  if (e->repeats > REPEATS_MOST + s->ne) return false;
  int count = list_happened(e, t, y, event);
  for (int i = 0; i < count; i++) {
    int k = e->happened[i];
    system_rhs(e->work, e->near_t, e->near_x, e->f_old);
    if (s->ns) system_event_sens(e->work, t, y, k, e->f_old, &e->rate, e->by_column);
    system_events(e->work, t, y, e->w);
    system_set_mode(e->work, k, new_mode(e, k, e->w[k]));
    if (i == count - 1 && !settle(e, t, y, &event)) return false;
    system_rhs(e->work, t, y, e->f_new);
    if (s->ns) carry_sensitivities(e, y);
  }
  return true;
}

bool event_jump(EventWork *e, double t, const double *y, int *event) {
  return settle(e, t, y, event);
}
