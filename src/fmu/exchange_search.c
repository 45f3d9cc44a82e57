// Where an indicator changes its side in a step. Indicators are sampled from the dense output at five points of a stretch of time. The
// quartic through them must tell them at further points; otherwise the stretch is halved. Between samples on one side a parabola tells
// where a dip may reach the other side. The method is that of simulate/event_search.c, for functions that only the FMU knows.
#include <math.h>
#include <string.h>

#include "fmu/exchange.h"
#include "simulate/dip.h"

enum {
  PARTS = 4,
  CHECKS =
      4, // an indicator may be faster than all states, and five samples may look harmless by accident
  DEPTH_MOST = 12,
  DIP_ROUNDS = 12,
  HALVES_MOST = 60,
  LOOKS_MOST = 4000, // in one step: an indicator that is noise is not followed further
};
static const double CHECK[CHECKS] = {0.618034, 0.116279, 0.853553,
                                     0.364792}; // of a stretch, at no simple ratios
static const double RESOLUTION = 1e-9; // of the duration: stretches are not halved below it
static const double ROUNDING = 1e-12;  // of the size of an indicator
static const double TELLS = 0.05,
                    NEAR = 0.2;    // errors of the quartic: of the largest, of the least distance
static const double AFTER = 1e-12; // of a step: how far behind the zero an event is found

typedef struct Sample {
  double t, *z;
} Sample;

struct ExchangeSearch {
  Sample end[2], part[DEPTH_MOST + 1][PARTS - 1], trial;
  double *size; // by indicator: the largest so far
  double weight[CHECKS][PARTS + 1];
  int depth; // how deep the last search went
  int looks;
};

// Between `before`, where all are on their sides, and `after`, where some are not.
typedef struct Bracket {
  double before, after;
  bool found;
} Bracket;

// Lagrange's weights of the samples at CHECK[c].
static double weight(int c, int i) {
  double product = 1;
  for (int j = 0; j <= PARTS; j++)
    if (j != i) product *= (PARTS * CHECK[c] - j) / (i - j);
  return product;
}

ExchangeSearch *exchange_search_new(Arena *a, int indicators) {
  ExchangeSearch *w = ARENA_NEW(a, ExchangeSearch);
  Sample *all[] = {&w->end[0], &w->end[1], &w->trial};
  for (int i = 0; i < 3; i++) all[i]->z = ARENA_ARRAY(a, double, indicators + 1);
  for (int d = 0; d <= DEPTH_MOST; d++)
    for (int i = 0; i < PARTS - 1; i++) w->part[d][i].z = ARENA_ARRAY(a, double, indicators + 1);
  w->size = ARENA_ARRAY(a, double, indicators + 1);
  for (int c = 0; c < CHECKS; c++)
    for (int i = 0; i <= PARTS; i++) w->weight[c][i] = weight(c, i);
  return w;
}

// ---------------------------------------------------------------- samples

static void sample(Exchange *e, Stepper *s, double t, Sample *out) {
  s->row->dense(s, t, false, e->y);
  out->t = t;
  e->search->looks++;
  if (!exchange_look(e, 0, t, e->y, out->z)) return;
  for (int j = 0; j < e->ni; j++) e->search->size[j] = fmax(e->search->size[j], fabs(out->z[j]));
}

static bool has_changed(const Exchange *e, const Sample *q) {
  for (int j = 0; j < e->ni; j++)
    if ((q->z[j] > 0) != e->positive[j]) return true;
  return false;
}

// Distance of indicator j from 0, positive on its side.
static double far(const Exchange *e, const Sample *q, int j) {
  return e->positive[j] ? q->z[j] : -q->z[j];
}

// An error that changes nothing: of the size of indicator j, or of how far it is from 0.
static bool is_small(const Exchange *e, const Sample *const q[PARTS + 1], int j, double error) {
  double most = 0, least = HUGE_VAL;
  for (int i = 0; i <= PARTS; i++) {
    most = fmax(most, fabs(q[i]->z[j]));
    least = fmin(least, fabs(q[i]->z[j]));
  }
  return error <= TELLS * most || error <= NEAR * least || error <= ROUNDING * e->search->size[j];
}

// What the quartic has more than a cubic.
static double fourth_difference(const Sample *const q[PARTS + 1], int j) {
  double d[PARTS];
  for (int i = 0; i < PARTS; i++) d[i] = q[i + 1]->z[j] - q[i]->z[j];
  return fabs(d[3] - 3 * d[2] + 3 * d[1] - d[0]);
}

// Whether the quartic through the samples tells indicator j at check c.
static bool is_told(const Exchange *e, const Sample *const q[PARTS + 1], int c, int j) {
  const ExchangeSearch *w = e->search;
  double told = q[0]->z[j];
  for (int i = 1; i <= PARTS; i++) told += w->weight[c][i] * (q[i]->z[j] - q[0]->z[j]);
  if (!isfinite(told))
    return w->trial.z[j] == q[0]->z[j] || isnan(w->trial.z[j]); // never, or unknown
  return is_small(e, q, j, fabs(told - w->trial.z[j]));
}

static bool samples_suffice(Exchange *e, Stepper *s, const Sample *const q[PARTS + 1]) {
  double width = q[PARTS]->t - q[0]->t;
  for (int j = 0; j < e->ni; j++) {
    double bend = fourth_difference(q, j);
    if (isfinite(bend) && !is_small(e, q, j, bend)) return false;
  }
  for (int c = 0; c < CHECKS && !e->failed; c++) {
    sample(e, s, q[0]->t + CHECK[c] * width, &e->search->trial);
    for (int j = 0; j < e->ni; j++)
      if (!is_told(e, q, c, j)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- dips

// Three samples on the right side may have a dip between them that reaches the other one.
static void look_into_dip(Exchange *e, Stepper *s, const Sample *const q[3], int j, Bracket *out) {
  DipPoint p[3];
  double t;
  Sample *trial = &e->search->trial;
  for (int i = 0; i < 3; i++) p[i] = (DipPoint){q[i]->t, far(e, q[i], j)};
  for (int round = 0; round < DIP_ROUNDS && !e->failed && dip_next(p, round, &t); round++) {
    sample(e, s, t, trial);
    if (has_changed(e, trial)) {
      *out = (Bracket){t > q[1]->t ? q[1]->t : q[0]->t, t, true};
      return;
    }
    dip_narrow(p, (DipPoint){t, far(e, trial, j)});
  }
}

static void look_between(Exchange *e, Stepper *s, const Sample *const q[PARTS + 1], Bracket *out) {
  for (int i = 1; i <= PARTS && !out->found && !e->failed; i++) {
    if (has_changed(e, q[i])) *out = (Bracket){q[i - 1]->t, q[i]->t, true};
    bool inner = !out->found && i < PARTS && !has_changed(e, q[i + 1]);
    for (int j = 0; j < e->ni && inner && !out->found; j++) look_into_dip(e, s, q + i - 1, j, out);
  }
}

// ---------------------------------------------------------------- stretches

static void search(Exchange *e, Stepper *s, const Sample *a, const Sample *b, int depth,
                   Bracket *out) {
  ExchangeSearch *w = e->search;
  double width = b->t - a->t;
  Sample *part = w->part[depth];
  const Sample *q[PARTS + 1] = {a, &part[0], &part[1], &part[2], b};
  for (int i = 1; i < PARTS && !e->failed; i++)
    sample(e, s, a->t + width * i / PARTS, &part[i - 1]);
  if (depth > w->depth) w->depth = depth;
  bool end = depth == DEPTH_MOST || w->looks > LOOKS_MOST ||
             width <= RESOLUTION * (e->t_end - e->call->start);
  if (end || samples_suffice(e, s, q)) {
    look_between(e, s, q, out);
    return;
  }
  search(e, s, a, q[PARTS / 2], depth + 1, out);
  if (!out->found && !e->failed) search(e, s, q[PARTS / 2], b, depth + 1, out);
}

// To where an indicator has just changed its side.
static double bisect(Exchange *e, Stepper *s, Bracket b) {
  double close = fmax(AFTER * (s->t - s->t_old), 4e-16 * fabs(s->t));
  for (int k = 0; k < HALVES_MOST && b.after - b.before > close && !e->failed; k++) {
    double middle = b.before + (b.after - b.before) / 2;
    sample(e, s, middle, &e->search->trial);
    *(has_changed(e, &e->search->trial) ? &b.after : &b.before) = middle;
  }
  return b.after;
}

double exchange_find_event(Exchange *e, Stepper *s) {
  ExchangeSearch *w = e->search;
  double length = s->t - s->t_old;
  Bracket found = {0};
  if (e->ni == 0 || !(length > 0)) return HUGE_VAL;
  w->depth = w->looks = 0;
  sample(e, s, s->t_old, &w->end[0]);
  sample(e, s, s->t, &w->end[1]);
  for (int j = 0; j < e->ni;
       j++) // where the step begins everything is on its side, whatever rounding says
    if (far(e, &w->end[0], j) < 0) w->end[0].z[j] = 0;
  if (!e->failed) search(e, s, &w->end[0], &w->end[1], 0, &found);
  if (w->depth > 1 && w->looks <= LOOKS_MOST)
    s->h_next = fmin(s->h_next, ldexp(length, 3 - w->depth)); // what the indicators can follow
  if (e->failed || !found.found) return HUGE_VAL;
  return bisect(e, s, found);
}
