// Anchors along accepted steps. Equations that f does not contain do not limit the steps: between two anchors their inputs
// must not go far from a straight line, compared with how far they have gone at all. The distance of anchors grows from a
// small part of the motion on, so that a fast oscillation is seen before it is stepped over.
#include "simulate/follow.h"

#include <math.h>
#include <string.h>

static const double FIRST = 1e-4;       // distance of the first two anchors, of the whole motion
static const double STRAIGHT = 0.2;     // deviation from a straight line, of the range so far
static const double AIM = 0.12;         // the next one
static const double LEAST = 1e-7;       // distance, of a step of a motion without states
static const double LEAST_PART = 1./64; // of a step that a method has chosen
static const double NOISE = 100;        // of the states, in relative tolerances

struct Follower {
  SystemWork *work;
  bool outside;       // some equations are not in f
  double span;        // of the whole motion
  double distance;    // to the next anchor
  double *low, *high; // [slot][lane]: range of the inputs so far
  double *y;          // scratch
};

Follower *follower_new(Arena *a, SystemWork *work) {
  const System *s = work->system;
  if (!s->branch_count) return NULL;
  Follower *f = ARENA_NEW(a, Follower);
  int numbers = s->anchor_slots * s->lanes;
  f->work = work;
  for (int i = 0; i < s->branch_count; i++) f->outside |= s->branches[i].outside;
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
  f->distance = FIRST * f->span;
}

void follow_begin(Follower *f, double t, const double *y, double t_end) {
  if (!f) return;
  f->span = fabs(t_end - t);
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
    if (off > NOISE * rel_tol * (1 + ratio) * fmax(fabs(high), fabs(low)))
      most = fmax(most, off / (high - low));
  }
  return most;
}

static double deviation(const Follower *f, double rel_tol) {
  const System *s = f->work->system;
  double most = 0;
  if (f->work->anchors.count < 3) return 0;
  for (int i = 0; i < s->branch_count; i++)
    if (s->branches[i].outside) most = fmax(most, deviation_of(f, &s->branches[i], rel_tol));
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
  double off = deviation(f, s->tol.rel), change = sqrt(AIM / fmax(off, 1e-6));
  if (off > STRAIGHT && by > least) {
    system_branch_drop(f->work);
    f->distance = by * fmax(0.1, fmin(0.7, change));
    return;
  }
  widen_range(f);
  double next = by * fmax(0.5, fmin(4, change));
  if (!last || next > f->distance) f->distance = next; // the end of the step says little
}

void follow_step(Follower *f, Stepper *s) {
  if (!f) return;
  if (!f->outside) {
    system_branch_keep(f->work, 1);
    system_branch_add(f->work, s->t, s->y);
    return;
  }
  system_branch_keep(f->work, 2); // which tell the direction
  while (last_time(f) < s->t) follow_part(f, s);
}
