#include "study/profile_walk.h"

#include <math.h>

typedef struct Place {
  double u, z; // z is HUGE_VAL where there is no value
  bool forbidden;
} Place;

typedef struct Walker {
  const Walk *w;
  double sign; // of the direction
  Place at;    // the last one below the threshold
  double step;
  double wall; // nearest place without a value
  int failures, retries;
  WalkResult result;
} Walker;

static const double SHARE = 0.25;     // of the height that a step should rise by
static const double GROWTH = 3;       // of steps, at most
static const double BEYOND = 1.02;    // where the last step should end, in heights
static const double AT_HEIGHT = 1e-4; // relative to the height: this is the crossing
static const double NARROW = 1e-4;    // relative to the way so far: a crossing is known well enough
static const double NEAR_WALL = 1e-3; // the same, of a place without value
static const double JUMP = 0.5;       // in heights, across a narrow place
enum { RETRIES_MOST = 3, HALVINGS_MOST = 40 };

static VisitEnd visit(Walker *k, Place *p) {
  if (k->result.visits >= k->w->visits_most) return VISIT_STOPPED;
  k->result.visits++;
  VisitEnd v = k->w->visit(k->w->self, p->u, &p->z);
  p->forbidden = v == VISIT_FORBIDDEN;
  if (v == VISIT_FAILED || p->forbidden) p->z = HUGE_VAL;
  return v;
}

static bool ends(Walker *k, WalkEnd end, double at) {
  k->result.end = end;
  k->result.at = at;
  return true;
}

static bool ends_by_visit(Walker *k, VisitEnd v) {
  bool long_walk = v == VISIT_STOPPED && k->result.visits >= k->w->visits_most;
  return ends(k,
              v == VISIT_BETTER ? WALK_BETTER
              : long_walk       ? WALK_TOO_LONG
                                : WALK_STOPPED,
              k->at.u);
}

// ---------------------------------------------------------------- crossing

// Regula falsi, halved where the end that does not move is too heavy (Illinois); the middle where the profile turns into a
// wall between the two.
static double between(const Place *a, const Place *b, double height, bool middle) {
  if (middle || !(b->z - a->z <= 4 * height)) return a->u + (b->u - a->u) / 2;
  return a->u + (b->u - a->u) * (height - a->z) / (b->z - a->z);
}

static double line_through(const Place *a, const Place *b, double height) {
  if (!(b->z > a->z) || b->z == HUGE_VAL) return b->u;
  return a->u + (b->u - a->u) * (height - a->z) / (b->z - a->z);
}

static bool is_narrow(const Walker *k, const Place *a, const Place *b) {
  return fabs(b->u - a->u) <= NARROW * fabs(b->u - k->w->from);
}

// a is below the height, b is not. true: nothing is left to be done.
static bool cross(Walker *k, Place a, Place b) {
  double height = k->w->height;
  int same = 0; // times in a row that b stayed
  for (int i = 0; i < HALVINGS_MOST && !is_narrow(k, &a, &b); i++) {
    Place m = {.u = between(&a, &b, height, i % 4 == 3 && same > 1)};
    if (m.u == a.u || m.u == b.u) break;
    VisitEnd v = visit(k, &m);
    if (v == VISIT_BETTER || v == VISIT_STOPPED) return ends_by_visit(k, v);
    if (fabs(m.z - height) <= AT_HEIGHT * height)
      return ends(k, WALK_CROSSED,
                  line_through(m.z < height ? &m : &a, m.z < height ? &b : &m, height));
    same = m.z < height ? same + 1 : 0;
    *(m.z < height ? &a : &b) = m;
  }
  k->at = a;
  k->result.jump = b.z - a.z > JUMP * height;
  if (b.z == HUGE_VAL) return ends(k, b.forbidden ? WALK_FORBIDDEN : WALK_FAILED, a.u);
  if (!k->result.jump || k->retries++ >= RETRIES_MOST)
    return ends(k, WALK_CROSSED, line_through(&a, &b, height));
  // The far end may have been another, worse minimum; from here it is looked at again.
  VisitEnd v = visit(k, &b);
  if (v == VISIT_BETTER || v == VISIT_STOPPED) return ends_by_visit(k, v);
  if (b.z >= height) return ends(k, WALK_CROSSED, line_through(&a, &b, height));
  k->result.jump = false;
  k->at = b;
  return b.u == k->w->to && ends(k, WALK_AT_END, b.u);
}

// ---------------------------------------------------------------- steps

static double next_place(const Walker *k) {
  double u = k->at.u + k->sign * k->step;
  bool past = k->sign * (u - k->w->to) >= 0 || fabs(u - k->w->to) < 1e-3 * k->step;
  return past ? k->w->to : u;
}

static void adapt(Walker *k, const Place *old) {
  double way = fabs(k->at.u - old->u), rise = k->at.z - old->z, height = k->w->height;
  double wanted = GROWTH * way;
  if (rise > 0) wanted = fmin(fmin(SHARE * height, BEYOND * height - k->at.z) / rise * way, wanted);
  k->step = fmin(fmax(wanted, way / GROWTH), k->w->step_most);
  if (isfinite(k->wall)) k->step = fmin(k->step, fabs(k->wall - k->at.u) / 2);
}

// Half the way to where there is no value. true: so near that it is the end.
static bool come_nearer(Walker *k, double u) {
  k->wall = u;
  k->step = fabs(u - k->at.u) / (k->failures++ < 3 ? 4 : 2);
  double way = fabs(k->at.u - k->w->from);
  bool near = way > 0 ? fabs(u - k->at.u) <= NEAR_WALL * way : k->failures > HALVINGS_MOST;
  return near && ends(k, WALK_FAILED, k->at.u);
}

static bool take_step(Walker *k) {
  Place p = {.u = next_place(k)}, old = k->at;
  if (p.u == k->at.u) return ends(k, WALK_FAILED, k->at.u);
  VisitEnd v = visit(k, &p);
  if (v == VISIT_BETTER || v == VISIT_STOPPED) return ends_by_visit(k, v);
  if (v == VISIT_FAILED) return come_nearer(k, p.u);
  k->failures = 0;
  if (p.z >= k->w->height) return cross(k, k->at, p);
  k->at = p;
  if (p.u == k->w->to) return ends(k, WALK_AT_END, p.u);
  adapt(k, &old);
  return false;
}

WalkResult walk_run(const Walk *w) {
  Walker k = {.w = w, .sign = w->to < w->from ? -1 : 1, .at = {.u = w->from}, .wall = nan("")};
  k.step = fmin(w->step, w->step_most);
  if (w->from == w->to) {
    ends(&k, WALK_AT_END, w->from);
    return k.result;
  }
  while (!take_step(&k)) {
  }
  return k.result;
}
