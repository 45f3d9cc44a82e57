// Steps along the root of a profile, which is linear where the profile is a parabola: each should rise by a share of
// the height. The crossing is found by regula falsi with bisection.
#include "study/profile_walk.h"

#include <math.h>

typedef struct WalkPlace {
  double at, root; // root is HUGE_VAL where there is no value
  bool forbidden;
} WalkPlace;

typedef struct Walker {
  const Walk *w;
  double sign;    // of the direction
  WalkPlace last; // the last one below the threshold
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

static VisitEnd visit(Walker *k, WalkPlace *p) {
  if (k->result.visits >= k->w->visits_most) return VISIT_STOPPED;
  k->result.visits++;
  VisitEnd v = k->w->visit(k->w->self, p->at, &p->root);
  p->forbidden = v == VISIT_FORBIDDEN;
  if (v == VISIT_FAILED || p->forbidden) p->root = HUGE_VAL;
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
              k->last.at);
}

// ---------------------------------------------------------------- crossing

// Regula falsi; the middle where one of the ends does not move, or where the profile turns into a wall between the two.
static double between(const WalkPlace *a, const WalkPlace *b, double height, bool middle) {
  if (middle || !(b->root - a->root <= 4 * height)) return a->at + (b->at - a->at) / 2;
  return a->at + (b->at - a->at) * (height - a->root) / (b->root - a->root);
}

static double line_through(const WalkPlace *a, const WalkPlace *b, double height) {
  if (!(b->root > a->root) || b->root == HUGE_VAL) return b->at;
  return a->at + (b->at - a->at) * (height - a->root) / (b->root - a->root);
}

static bool is_narrow(const Walker *k, const WalkPlace *a, const WalkPlace *b) {
  return fabs(b->at - a->at) <= NARROW * fabs(b->at - k->w->from);
}

// a is below the height, b is not. true: nothing is left to be done.
static bool cross(Walker *k, WalkPlace a, WalkPlace b) {
  double height = k->w->height;
  int same = 0; // times in a row that the other end stayed
  bool was_below = false;
  for (int i = 0; i < HALVINGS_MOST && !is_narrow(k, &a, &b); i++) {
    WalkPlace m = {.at = between(&a, &b, height, same > 2)};
    if (m.at == a.at || m.at == b.at) break;
    VisitEnd v = visit(k, &m);
    if (v == VISIT_BETTER || v == VISIT_STOPPED) return ends_by_visit(k, v);
    if (fabs(m.root - height) <= AT_HEIGHT * height)
      return ends(k, WALK_CROSSED,
                  line_through(m.root < height ? &m : &a, m.root < height ? &b : &m, height));
    bool below = m.root < height;
    same = below == was_below && same <= 2 ? same + 1 : 0;
    was_below = below;
    *(below ? &a : &b) = m;
  }
  k->last = a;
  k->result.jump = b.root - a.root > JUMP * height;
  if (b.root == HUGE_VAL) return ends(k, b.forbidden ? WALK_FORBIDDEN : WALK_FAILED, a.at);
  if (!k->result.jump || k->retries++ >= RETRIES_MOST)
    return ends(k, WALK_CROSSED, line_through(&a, &b, height));
  // The far end may have been another, worse minimum; from here it is looked at again.
  VisitEnd v = visit(k, &b);
  if (v == VISIT_BETTER || v == VISIT_STOPPED) return ends_by_visit(k, v);
  if (b.root >= height) return ends(k, WALK_CROSSED, line_through(&a, &b, height));
  k->result.jump = false;
  k->last = b;
  return b.at == k->w->to && ends(k, WALK_AT_END, b.at);
}

// ---------------------------------------------------------------- steps

static double next_place(const Walker *k) {
  double at = k->last.at + k->sign * k->step;
  bool past = k->sign * (at - k->w->to) >= 0 || fabs(at - k->w->to) < 1e-3 * k->step;
  return past ? k->w->to : at;
}

static void adapt(Walker *k, const WalkPlace *old) {
  double way = fabs(k->last.at - old->at), rise = k->last.root - old->root, height = k->w->height;
  double wanted = GROWTH * way;
  if (rise > 0)
    wanted = fmin(fmin(SHARE * height, BEYOND * height - k->last.root) / rise * way, wanted);
  k->step = fmin(fmax(wanted, way / GROWTH), k->w->step_most);
  if (isfinite(k->wall)) k->step = fmin(k->step, fabs(k->wall - k->last.at) / 2);
}

// Half the way to where there is no value. true: so near that it is the end.
static bool come_nearer(Walker *k, double at) {
  k->wall = at;
  k->step = fabs(at - k->last.at) / (k->failures++ < 3 ? 4 : 2);
  double way = fabs(k->last.at - k->w->from);
  bool near = way > 0 ? fabs(at - k->last.at) <= NEAR_WALL * way : k->failures > HALVINGS_MOST;
  return near && ends(k, WALK_FAILED, k->last.at);
}

static bool take_step(Walker *k) {
  WalkPlace p = {.at = next_place(k)}, old = k->last;
  if (p.at == k->last.at) return ends(k, WALK_FAILED, k->last.at);
  VisitEnd v = visit(k, &p);
  if (v == VISIT_BETTER || v == VISIT_STOPPED) return ends_by_visit(k, v);
  if (v == VISIT_FAILED) return come_nearer(k, p.at);
  k->failures = 0;
  if (p.root >= k->w->height) return cross(k, k->last, p);
  k->last = p;
  if (p.at == k->w->to) return ends(k, WALK_AT_END, p.at);
  adapt(k, &old);
  return false;
}

WalkResult walk_run(const Walk *w) {
  Walker k = {.w = w, .sign = w->to < w->from ? -1 : 1, .last = {.at = w->from}, .wall = nan("")};
  k.step = fmin(w->step, w->step_most);
  if (w->from == w->to) {
    ends(&k, WALK_AT_END, w->from);
    return k.result;
  }
  while (!take_step(&k)) {
  }
  return k.result;
}
