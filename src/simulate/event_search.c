// Where the literal value of a mode changes in a step. The switching functions w are sampled from the dense output at five
// points of a stretch of time. The quartic through them must tell w at further points; otherwise the stretch is halved. A
// mode that is wrong at a sample, or in a dip between samples that a parabola predicts, is located by the Illinois method
// (Dowell and Jarratt 1971) to neighbouring numbers.
#include "simulate/event_search.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "simulate/dip.h"
#include "simulate/slide.h"

enum {
  PARTS = EVENT_PARTS,
  DEPTH_MOST = EVENT_DEPTH,
  LOCATE_MOST = 120,
  DIP_ROUNDS = 12,
  ZOOMS = 4, // beyond this a function that cannot be told by samples jumps
  MANY_CHECKS =
      4, // elsewhere: w may be faster than all states, and five samples may look harmless by accident
};

// Of the duration of the simulation: stretches are not halved below this. What is faster than that is noise.
static const double RESOLUTION = 1e-9;
static const double SHORTEST =
    4e-16; // of the same: a step in which nothing happens, such as one up to a break of an input
static const double TAME =
    0.01; // of the margins: a fourth difference of straight lines that needs no further check
static const double ON_LIMIT = 1e-9; // of the size of a switching function

// Shares of a stretch, at no simple ratios to each other.
static const double CHECK[MANY_CHECKS] = {0.618034, 0.116279, 0.853553, 0.364792};

typedef struct Crossing {
  int event;
  double before, at, mode;
  bool found;
  bool unclear; // in the stretch from `before` to `at`
} Crossing;

static void sample_at(EventWork *e, Stepper *s, double t, EventSample *out) {
  int ne = e->work->system->ne;
  size_t bytes = (size_t)e->work->system->nx * sizeof(double);
  if (t == s->t)
    memcpy(e->x, s->y, bytes);
  else if (t == s->t_old)
    memcpy(e->x, s->y_old, bytes);
  else
    s->row->dense(s, t, false, e->x);
  out->t = t;
  slide_events(e, t, e->x, out->w);
  for (int k = 0; k < ne; k++) out->margin[k] = event_margin(e, k, out->w[k]);
  for (int k = 0; k < ne && e->through_count; k++)
    if (e->through[k]) out->margin[k] = DBL_MAX;
  const System *system = e->work->system;
  for (int k = 0; k < ne && e->slide_count; k++) // one event stands for its surface
    if (e->slides[k] && system->surfaces.of[k] != k) out->margin[k] = DBL_MAX;
  for (int k = 0; k < ne && system->hybrid; k++)
    if (e->needed[k] == 0) out->margin[k] = DBL_MAX;
  for (int i = 0; i < system->timer_count; i++) out->margin[system->timers[i]] = DBL_MAX;
}

// ---------------------------------------------------------------- location

// Between a, where the mode of k is right, and b, where it is wrong. Returns where it becomes wrong.
static Crossing bisect(EventWork *e, Stepper *s, int k, double a, double fa, double b, double fb,
                       double mode) {
  double closest = 2e-16 * fabs(s->t - s->t_old);
  int side = 0;
  for (int i = 0; i < LOCATE_MOST; i++) {
    double close = fmax(closest, 2e-16 * fmax(fabs(a), fabs(b)));
    if (b - a <= 2 * close) break;
    double m = fa > fb && i % 8 != 7 ? (fa * b - fb * a) / (fa - fb) : 0.5 * (a + b);
    m += 1.5 * side * close; // a little beyond, so that the other end moves, too
    if (!(m > a + close && m < b - close)) m = 0.5 * (a + b);
    sample_at(e, s, m, &e->trial);
    double fm = e->trial.margin[k];
    if (fm < 0) {
      b = m, fb = fm, mode = event_literal(e, k, e->trial.w[k]);
      if (side == -1) fa /= 2;
      side = -1;
    } else {
      a = m, fa = fm;
      if (side == 1) fb /= 2;
      side = 1;
    }
  }
  return (Crossing){k, a, b, mode, true, false};
}

// The same, and looks whether it was wrong earlier.
static void locate(EventWork *e, Stepper *s, int k, double a, double fa, double b, double fb,
                   double mode, Crossing *out) {
  fa = fmax(0, fa);
  Crossing c = bisect(e, s, k, a, fa, b, fb, mode);
  for (int i = 0; i < MANY_CHECKS && e->work->system->events.curved; i++) {
    double m = a + CHECK[i] * (c.before - a);
    if (!(m > a && m < c.before)) continue;
    sample_at(e, s, m, &e->trial);
    if (e->trial.margin[k] >= 0) continue;
    c = bisect(e, s, k, a, fa, m, e->trial.margin[k], event_literal(e, k, e->trial.w[k]));
  }
  if (!out->found || c.at < out->at) *out = c;
}

// ---------------------------------------------------------------- samples of a stretch

// Lagrange's weights of the five samples at CHECK[c].
static double weight(int c, int i) {
  double product = 1;
  for (int j = 0; j <= PARTS; j++)
    if (j != i) product *= (PARTS * CHECK[c] - j) / (i - j);
  return product;
}

// The quartic through the samples at CHECK[c], from differences: exact where w is constant.
static double interpolate(const EventWork *e, const EventSample *const q[PARTS + 1], int k, int c) {
  double sum = 0, first = q[0]->w[k];
  for (int i = 1; i <= PARTS; i++) sum += e->weight[c][i] * (q[i]->w[k] - first);
  return first + sum;
}

typedef struct Spread { // of the samples of one event
  double most, least;   // |margin|; most: of those where the mode is right, if there are any
  bool right;           // at all samples
} Spread;

static Spread spread_of(const EventWork *e, const EventSample *const q[PARTS + 1], int k) {
  Spread r = {0, HUGE_VAL, true};
  double wrong = 0;
  for (int i = 0; i <= PARTS; i++) {
    double m = q[i]->margin[k], size = fabs(m);
    if (size < r.least) r.least = size;
    if (m > r.most) r.most = m;
    if (m < 0) r.right = false;
    if (-m > wrong) wrong = -m;
  }
  if (r.most == 0) r.most = e->kind[k] == EVENT_FLOOR && wrong > 0.5 ? 0.5 : wrong;
  return r;
}

static bool is_close(const EventWork *e, int k, double error, Spread r) {
  double near = e->work->system->events.curved ? 0.2 : 0.5;
  return error <= 0.05 * r.most || error <= near * r.least || error <= EVENT_ROUNDING * e->size[k];
}

static double fourth_difference(const EventSample *const q[PARTS + 1], int k) {
  double d[PARTS];
  for (int i = 0; i < PARTS; i++) d[i] = q[i + 1]->w[k] - q[i]->w[k];
  return d[3] - 3 * d[2] + 3 * d[1] - d[0];
}

// Infinite at all samples: a time that is not known yet.
static bool is_infinite(const EventSample *const q[PARTS + 1], int k) {
  for (int i = 0; i <= PARTS; i++)
    if (!(isinf(q[i]->w[k]) && q[i]->w[k] == q[0]->w[k])) return false;
  return true;
}

// Whether the samples tell what the switching functions do between them: their fourth difference is small, and so is
// the error at other points, unless the function is far from its event.
static bool samples_suffice(EventWork *e, Stepper *s, const EventSample *const q[PARTS + 1]) {
  const System *system = e->work->system;
  double width = q[PARTS]->t - q[0]->t;
  bool few = !system->events.curved || width <= 2 * e->resolved, tame = !system->events.curved;
  for (int k = 0; k < system->ne; k++) {
    double bend = fabs(fourth_difference(q, k));
    if (bend <= EVENT_ROUNDING * e->size[k]) continue;
    if (isnan(bend) && is_infinite(q, k)) continue;
    Spread r = spread_of(e, q, k);
    if (!is_close(e, k, bend, r)) return false;
    tame = tame && bend <= TAME * r.most;
  }
  for (int c = 0; c < MANY_CHECKS && !tame; c++) {
    sample_at(e, s, q[0]->t + CHECK[c] * width, &e->trial);
    for (int k = 0; k < system->ne; k++) {
      double error = fabs(interpolate(e, q, k, c) - e->trial.w[k]);
      if (error <= EVENT_ROUNDING * e->size[k] && e->trial.margin[k] >= 0) continue;
      if (isnan(error) && is_infinite(q, k) && e->trial.w[k] == q[0]->w[k]) continue;
      Spread r = spread_of(e, q, k);
      bool missed = r.right && e->trial.margin[k] < -EVENT_ROUNDING * e->size[k];
      if (missed || !is_close(e, k, error, r)) return false;
    }
    tame = few;
  }
  e->resolved = width;
  return true;
}

static void near_limit(const EventWork *e, int k, double w, double *sign, double *limit) {
  double mode = system_mode(e->work, k);
  bool upper = e->kind[k] == EVENT_FLOOR && w > mode + 0.5;
  *limit = e->kind[k] == EVENT_FLOOR ? mode + upper : 0;
  *sign = e->kind[k] == EVENT_FLOOR  ? (upper ? -1 : 1)
          : e->kind[k] == EVENT_SIGN ? mode
          : mode != 0                ? -1
                                     : 1;
}

// Three samples on the right side may have a dip between them that reaches the wrong one. It is looked for as long as the
// parabola through the lowest points comes close to the limit.
static void look_into_dip(EventWork *e, Stepper *s, int k, const EventSample *const q[3],
                          Crossing *out) {
  double sign = 1, limit = 0;
  near_limit(e, k, q[1]->w[k], &sign, &limit);
  DipPoint p[3];
  double t;
  for (int i = 0; i < 3; i++) p[i] = (DipPoint){q[i]->t, sign * (q[i]->w[k] - limit)};
  for (int round = 0; round < DIP_ROUNDS && dip_next(p, round, &t); round++) {
    sample_at(e, s, t, &e->trial);
    double w = e->trial.w[k], margin = e->trial.margin[k];
    if (margin < 0) {
      const EventSample *a = t > q[1]->t ? q[1] : q[0];
      locate(e, s, k, a->t, a->margin[k], t, margin, event_literal(e, k, w), out);
      return;
    }
    dip_narrow(p, (DipPoint){t, sign * (w - limit)});
  }
}

static void look_between(EventWork *e, Stepper *s, const EventSample *const q[PARTS + 1],
                         Crossing *out) {
  int ne = e->work->system->ne;
  for (int i = 1; i <= PARTS && !(out->found && out->at <= q[i - 1]->t); i++)
    for (int k = 0; k < ne; k++) {
      if (q[i]->margin[k] < 0)
        locate(e, s, k, q[i - 1]->t, q[i - 1]->margin[k], q[i]->t, q[i]->margin[k],
               event_literal(e, k, q[i]->w[k]), out);
      else if (i < PARTS && q[i]->margin[k] < DBL_MAX && q[i - 1]->margin[k] >= 0 &&
               q[i + 1]->margin[k] >= 0)
        look_into_dip(e, s, k, q + i - 1, out);
    }
}

// Ends early when the simulation does not go on: whoever made the step asks, too.
static void search(EventWork *e, Stepper *s, const EventSample *a, const EventSample *b, int depth,
                   Crossing *out) {
  const System *system = e->work->system;
  if (!patience_lasts((long)PARTS * (system->nx + system->ne))) return;
  double width = b->t - a->t;
  EventSample *part = e->part[depth];
  const EventSample *q[PARTS + 1] = {a, &part[0], &part[1], &part[2], b};
  for (int i = 1; i < PARTS; i++) sample_at(e, s, a->t + width * i / PARTS, &part[i - 1]);
  if (depth > e->depth) e->depth = depth;
  bool clear = width <= RESOLUTION * e->span || samples_suffice(e, s, q);
  if (clear || depth == DEPTH_MOST) {
    look_between(e, s, q, out);
    if (!clear && !out->found) *out = (Crossing){.before = a->t, .at = b->t, .unclear = true};
    return;
  }
  search(e, s, a, q[PARTS / 2], depth + 1, out);
  if (!out->found && !out->unclear) search(e, s, q[PARTS / 2], b, depth + 1, out);
}

static void note_size(EventWork *e, int k, double w) {
  if (!isfinite(w)) return;
  if (w < e->low[k]) e->low[k] = w;
  if (w > e->high[k]) e->high[k] = w;
  double most = e->high[k] > -e->low[k] ? e->high[k] : -e->low[k];
  e->size[k] = e->high[k] - e->low[k] + 1e-3 * (most > e->scale[k] ? most : e->scale[k]);
}

// What is wrong at the beginning by rounding errors only is not wrong a moment later.
static void begin_at(EventWork *e, EventSample *begin) {
  for (int k = 0; k < e->work->system->ne; k++) {
    if (begin->margin[k] < 0) begin->margin[k] = 0;
    if (fabs(begin->w[k]) > e->grace[k]) e->grace[k] = 0;
    note_size(e, k, begin->w[k]);
  }
}

// The motion hardly leaves the limit of the event, at which the step begins: shorter steps would not resolve it better.
static bool stays_on_limit(const EventWork *e, const Crossing *c) {
  int k = c->event;
  return c->found && fabs(e->end[0].w[k]) <= ON_LIMIT * e->size[k] &&
         fabs(e->end[1].w[k]) <= ON_LIMIT * e->size[k];
}

// A step may be so long that its first stretch is unclear, too: then only this is looked at, again in stretches.
static Crossing search_until(EventWork *e, Stepper *s, double until) {
  Crossing c = {.at = until};
  if (!e->known || e->end[0].t != s->t_old) sample_at(e, s, s->t_old, &e->end[0]);
  begin_at(e, &e->end[0]);
  for (int zoom = 0; zoom < ZOOMS; zoom++) {
    double width = c.at - s->t_old;
    e->depth = 0;
    sample_at(e, s, c.at, &e->end[1]);
    c = (Crossing){.at = c.at};
    search(e, s, &e->end[0], &e->end[1], 0, &c);
    if (e->depth > 1 && !stays_on_limit(e, &c))
      s->h_next = copysign(fmin(fabs(s->h_next), ldexp(width, 3 - e->depth)), s->h_next);
    if (!c.unclear || c.before > s->t_old) break;
  }
  if (c.unclear && c.before > s->t_old) c.at = c.before;
  if (!c.found && c.at < until) c.unclear = true; // nothing was looked at beyond
  return c;
}

void event_search_prepare(EventWork *e) {
  for (int c = 0; c < MANY_CHECKS; c++)
    for (int i = 0; i <= PARTS; i++) e->weight[c][i] = weight(c, i);
}

EventFind event_find(EventWork *e, Stepper *s, double *before, double *at) {
  e->steps++;
  memset(e->decided, 0, (size_t)e->work->system->ne * sizeof *e->decided);
  if (s->t - s->t_old <= SHORTEST * fmax(e->span, fabs(s->t))) {
    e->known = false;
    return EVENT_NONE;
  }
  Crossing c = search_until(e, s, s->t);
  *at = c.at;
  e->known = !c.unclear && !c.found && e->end[1].t == s->t;
  if (e->known) { // the next step begins where this one ends
    EventSample begin = e->end[1];
    e->end[1] = e->end[0];
    e->end[0] = begin;
  }
  if (c.unclear) return EVENT_UNCLEAR;
  if (!c.found) return EVENT_NONE;
  s->row->dense(s, c.before, false, e->near_x);
  e->near_t = c.before;
  // rounding errors of w move the event by a few neighbouring numbers
  *before = c.before - 1e-15 * fmax(fabs(c.before), s->t - s->t_old);
  e->found = c.event;
  e->found_mode = c.mode;
  return EVENT_FOUND;
}
