// Anchors along accepted steps. Where the inputs of equations turn between two anchors, it is not sure that a straight
// continuation follows the motion: there anchors are set closer, compared with how far the inputs have gone at all.
// Equations that f does not contain do not limit the steps. Those that it contains were continued from the beginning of the
// step when f was computed: if closer anchors lead to other roots, the step was too long.
//
// The distance of anchors grows from a small part of the motion on, so that a fast oscillation is seen before it is stepped
// over.
#include "simulate/follow.h"

#include <math.h>
#include <string.h>

static const double FIRST = 1e-4;      // distance of the first two anchors, of the whole motion
static const double STRAIGHT = 0.2;    // deviation from a straight line, of the range so far
static const double AIM = 0.12;        // the next one
static const double TURN = 0.7;        // a deviation over a step that makes its roots doubtful
static const double LEAST = 1e-5;      // distance, of a step of a motion without states
static const double LEAST_PART = 1e-3; // of a step that a method has chosen
static const double NOISE = 10;        // of the states, in relative tolerances
static const double NOISE_MOST = 1e-3; // of the size of an input
static const double SAME = 1e-6;       // roots, of their size and range

struct Follower {
  SystemWork *work;
  bool inside, outside; // some equations are in f, are not
  double span;          // of the whole motion
  double distance;      // to the next anchor
  double *low, *high;   // [slot][lane]: range of the inputs so far
  double *whole;        // the anchor at the end of a step, continued from its beginning
  double *y;            // scratch
};

Follower *follower_new(Arena *a, SystemWork *work) {
  const System *s = work->system;
  if (!s->branch_count) return NULL;
  Follower *f = ARENA_NEW(a, Follower);
  int numbers = s->anchor_slots * s->lanes;
  f->work = work;
  for (int i = 0; i < s->branch_count; i++) {
    f->outside |= s->branches[i].outside;
    f->inside |= !s->branches[i].outside;
  }
  f->whole = ARENA_ARRAY(a, double, numbers);
  f->low = ARENA_ARRAY(a, double, numbers);
  f->high = ARENA_ARRAY(a, double, numbers);
  f->y = ARENA_ARRAY(a, double, s->nx *(1 + s->stride) * s->lanes + 16);
  return f;
}

static int anchor_size(const Follower *f) {
  return f->work->system->anchor_slots * f->work->system->lanes;
}

static const double *anchor(const Follower *f, int back) {
  const Anchors *a = &f->work->anchors;
  return a->value + (size_t)(a->count - 1 - back) * (size_t)anchor_size(f);
}

void follow_jump(Follower *f, double t, const double *y) {
  if (!f) return;
  system_branch_restart(f->work, t, y);
  f->distance = fmax(f->distance / 4, FIRST * f->span);
}

void follow_begin(Follower *f, double t, const double *y, double t_end) {
  if (!f) return;
  f->span = fabs(t_end - t);
  f->distance = 0;
  follow_jump(f, t, y);
  memcpy(f->low, anchor(f, 0), (size_t)anchor_size(f) * sizeof(double));
  memcpy(f->high, anchor(f, 0), (size_t)anchor_size(f) * sizeof(double));
}

// How far the last anchor is from the line through the two before it, of the range.
static double deviation_of(const Follower *f, const Branch *b, double rel_tol) {
  const double *t = f->work->anchors.t + f->work->anchors.count - 1;
  const double *now = anchor(f, 0), *before = anchor(f, 1), *first = anchor(f, 2);
  double ratio = (t[0] - t[-1]) / (t[-1] - t[-2]), most = 0;
  int L = f->work->system->lanes, from = b->at + 1 + b->n;
  for (int i = from * L; i < (from + b->inputs) * L; i++) {
    double high = fmax(f->high[i], now[i]), low = fmin(f->low[i], now[i]);
    double off = fabs(now[i] - before[i] - ratio * (before[i] - first[i]));
    if (off > fmin(NOISE * rel_tol, NOISE_MOST) * (1 + ratio) * fmax(fabs(high), fabs(low)))
      most = fmax(most, off / (high - low));
  }
  return most;
}

typedef enum Which { INSIDE, OUTSIDE, ALL } Which;

static double deviation(const Follower *f, Which which, double rel_tol) {
  const System *s = f->work->system;
  double most = 0;
  if (f->work->anchors.count < 3) return 0;
  for (int i = 0; i < s->branch_count; i++)
    if (which == ALL || s->branches[i].outside == (which == OUTSIDE))
      most = fmax(most, deviation_of(f, &s->branches[i], rel_tol));
  return most;
}

static void widen_range(Follower *f) {
  const double *now = anchor(f, 0);
  for (int i = 0; i < anchor_size(f); i++) {
    f->low[i] = fmin(f->low[i], now[i]);
    f->high[i] = fmax(f->high[i], now[i]);
  }
}

static double last_time(const Follower *f) {
  return f->work->anchors.t[f->work->anchors.count - 1];
}

// One anchor more, or a shorter distance to it.
static void follow_part(Follower *f, Stepper *s) {
  double from = last_time(f), rest = s->t - from;
  double least = (s->t - s->t_old) * (s->ode->n ? LEAST_PART : LEAST);
  bool last = 1.2 * fmax(f->distance, least) >= rest;
  double by = last ? rest : fmax(f->distance, least), t = last ? s->t : from + by;
  s->row->dense(s, t, false, f->y);
  system_branch_add(f->work, t, f->y);
  double off = deviation(f, ALL, s->tol.rel), change = sqrt(AIM / fmax(off, 1e-6));
  if (off > STRAIGHT && by > 1.2 * least) {
    system_branch_drop(f->work);
    f->distance = by * fmax(0.1, fmin(0.7, change));
    return;
  }
  widen_range(f);
  double next = by * fmax(0.5, fmin(4, change));
  if (!last || next > f->distance) f->distance = next; // the end of the step says little
}

// Tries the whole step at once. false: its end is in f->whole, and smaller parts have to show whether it is right.
static bool follow_whole(Follower *f, const Stepper *s) {
  bool taken = system_branch_take(f->work, s->t);
  if (!taken) system_branch_add(f->work, s->t, s->y);
  double inside = deviation(f, INSIDE, s->tol.rel), outside = deviation(f, OUTSIDE, s->tol.rel);
  if (f->work->anchors.count > 2 && inside <= TURN && outside <= STRAIGHT) {
    widen_range(f);
    return true;
  }
  if (taken) system_branch_drop(f->work), system_branch_add(f->work, s->t, s->y);
  memcpy(f->whole, anchor(f, 0), (size_t)anchor_size(f) * sizeof(double));
  double part = f->work->anchors.count > 2 ? fmin(0.5, sqrt(AIM / fmax(inside, outside))) : 0.5;
  system_branch_drop(f->work);
  if (!f->outside || f->work->anchors.count > 1) f->distance = part * (s->t - s->t_old);
  return false;
}

static bool is_same(const Follower *f, const Branch *b) {
  int L = f->work->system->lanes;
  const double *now = anchor(f, 0);
  for (int i = (b->at + 1) * L; i < (b->at + 1 + b->n) * L; i++) {
    double size = fmax(fabs(now[i]), fabs(f->whole[i])) + f->high[i] - f->low[i];
    if (fabs(now[i] - f->whole[i]) > SAME * size) return false;
  }
  return true;
}

static bool is_right(const Follower *f) {
  const System *s = f->work->system;
  bool right = true;
  for (int i = 0; i < s->branch_count && right; i++)
    right = s->branches[i].outside || is_same(f, &s->branches[i]);
  return right;
}

bool follow_step(Follower *f, Stepper *s) {
  if (!f) return true;
  system_branch_keep(f->work, 2); // which tell the direction
  if (f->inside && follow_whole(f, s)) return true;
  while (last_time(f) < s->t) follow_part(f, s);
  if (!f->inside || is_right(f)) return true;
  while (last_time(f) > s->t_old) system_branch_drop(f->work);
  return false;
}

void follow_retreat(Stepper *s, double t_end) {
  double first = s->tol.first_step;
  size_t numbers = (size_t)(s->ode->n * (1 + s->ode->stride)) * (size_t)s->ode->lanes;
  s->tol.first_step = 0.25 * fabs(s->t - s->t_old);
  s->t = s->t_old;
  memcpy(s->y, s->y_old, numbers * sizeof(double));
  s->row->start(s, t_end);
  s->tol.first_step = first;
  s->count.steps--, s->count.rejected++;
}
