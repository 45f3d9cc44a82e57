// Levenberg-Marquardt (damping by Nielsen's rule) on unknowns and node states together. The merit is V + weight^2 * half the sum of
// squared scaled gaps; the weight rises by tens until the gaps are closed (a penalty method; multiple shooting: Bock 1983).
#include "search/shooting.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "search/shooting_eval.h"
#include "search/shooting_setup.h"
#include "search/shooting_step.h"

enum {
  STAGE_ITERATIONS = 12, // steps at a weight of the gaps that is not the last
  REJECTIONS = 10,       // of steps in a row: no step reduces the merit
};

// The weight of gaps: a gap of the range of its state counts as `weight` samples that are wrong by the range of the data.
static const double WEIGHT_FIRST = 1e-1, WEIGHT_HEAVY = 10, WEIGHT_LAST = 1e6, WEIGHT_STEP = 10;
static const double STAGE_TOL = 1e-2;     // relative reduction at which the next weight follows
static const double REDUCTION_TOL = 1e-9; // of the last weight; less is noise of the integration
// relative to the range of the state
static const double GAP_CLOSED = 1e-6, GAP_SMALL = 1e-4, GAP_WIDE = 0.1;
static const double DAMPING_FIRST = 1e-3;

// ---------------------------------------------------------------- the search

static double merit(const ShootingPoint *at, double weight) {
  return at->data + weight * weight * at->gaps;
}

static void take_step(const Shooting *s, const ShootingPoint *at, ShootingPoint *to) {
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    to->x[i] = fmin(f->max, fmax(f->min, at->x[i] + s->step.by_unknowns[i]));
  }
  for (int i = 0; i < s->piece_count * s->nx; i++)
    to->states[i] = at->states[i] + s->step.by_states[i];
}

// Largest change relative to the size of what changes.
static double step_size(const Shooting *s, const ShootingPoint *at) {
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    double size = fmax(fabs(at->x[i]), 1e-3 * fabs(f->start));
    if (s->step.by_unknowns[i] != 0)
      most = fmax(most, fabs(s->step.by_unknowns[i]) / (size > 0 ? size : 1));
  }
  for (int k = 0; k < s->piece_count; k++)
    for (int i = 0; i < s->nx; i++)
      most = fmax(most, fabs(s->step.by_states[k * s->nx + i]) / s->range[i]);
  return most;
}

typedef struct ShootingCourse {
  Shooting *s;
  ShootingPoint *at, *trial;
  double weight, damping, growth;
  int iterations;
  LocalEnd end;
  bool over; // with `end`
  double began;
} ShootingCourse;

static void finish(ShootingCourse *c, LocalEnd end) {
  c->end = end;
  c->over = true;
}

static bool budget_is_spent(const ShootingCourse *c) {
  const FitOptions *o = &c->s->problem->options;
  const WorkCount *w = c->s->count;
  return w->simulations + w->sensitivity_simulations >= problem_max_simulations(c->s->problem) ||
         (o->max_seconds > 0 &&
          w->seconds + patience_clock() - c->began + patience_spent() > o->max_seconds);
}

static bool is_stopped(ShootingCourse *c) {
  Shooting *s = c->s;
  FitProgress progress = {.stage = "multiple shooting",
                          .iteration = c->iterations,
                          .objective = c->at->data,
                          .x = c->at->x,
                          .work = s->count};
  const ShootingRequest *r = s->request;
  if (!budget_is_spent(c) && patience_asks() &&
      (!r->listener || r->listener(r->listener_data, &progress)))
    return false;
  finish(c, LOCAL_STOPPED_END);
  return true;
}

static void accept(ShootingCourse *c, double ratio) {
  ShootingPoint *old = c->at;
  c->at = c->trial;
  c->trial = old;
  c->iterations++;
  c->s->count->iterations++;
  double less = 1 - pow(2 * ratio - 1, 3); // Nielsen's rule
  c->damping = fmax(1e-15, c->damping * fmin(2, fmax(0.1, less)));
  c->growth = 2;
}

static void reject(ShootingCourse *c) {
  c->damping *= c->growth;
  c->growth *= 2;
}

// One accepted step at the present weight. Returns its reduction relative to the merit; 0 when there is none.
static double advance(ShootingCourse *c, double *size) {
  Shooting *s = c->s;
  shooting_sizes(s, c->at, c->weight);
  for (int i = 0; i < REJECTIONS && !is_stopped(c); i++) {
    shooting_step(s, c->at, c->weight, c->damping);
    take_step(s, c->at, c->trial);
    *size = step_size(s, c->at);
    double now = merit(c->at, c->weight);
    double expected = shooting_gain(s, c->at, c->trial, c->weight);
    if (!(expected > 1e-15 * now)) return 0;
    bool ok = shooting_eval(s, c->trial);
    double gain = ok ? now - merit(c->trial, c->weight) : -1, ratio = gain / expected;
    if (ok && ratio > 1e-4) {
      accept(c, ratio);
      return fmax(gain, expected) / now;
    }
    // Where the gaps are closed, noise of the integration is all that is left to fight with.
    if (expected < REDUCTION_TOL * now) return 0;
    reject(c);
  }
  if (!c->over && c->weight >= WEIGHT_LAST) finish(c, LOCAL_NO_DESCENT_END);
  c->damping = DAMPING_FIRST, c->growth = 2; // for the next weight
  return 0;
}

static void run_stage(ShootingCourse *c) {
  bool last = c->weight >= WEIGHT_LAST;
  const FitOptions *o = &c->s->problem->options;
  for (int i = 0; !c->over && (last || i < STAGE_ITERATIONS); i++) {
    if (c->at->data < c->s->nothing && c->at->gap < GAP_CLOSED) return finish(c, LOCAL_ZERO_END);
    if (c->iterations >= o->max_iterations) return finish(c, LOCAL_ITERATIONS_END);
    double size = 0, reduction = advance(c, &size);
    if (c->over) return;
    if (!last && reduction < STAGE_TOL) return;
    if (last && size < o->step_tol) return finish(c, LOCAL_STEP_END);
    if (last && reduction < REDUCTION_TOL) return finish(c, LOCAL_REDUCTION_END);
  }
}

// Gaps that are small are closed at once. Gaps that stay wide although they are heavy belong to a wrong minimum.
static void next_weight(ShootingCourse *c) {
  if (c->weight >= WEIGHT_HEAVY && c->at->gap > GAP_WIDE) return finish(c, LOCAL_NO_DESCENT_END);
  c->weight = c->at->gap < GAP_SMALL ? WEIGHT_LAST : fmin(WEIGHT_LAST, c->weight * WEIGHT_STEP);
}

static void run_course(ShootingCourse *c) {
  if (!shooting_eval(c->s, c->at)) return finish(c, LOCAL_NO_START_END);
  bool closed = c->s->piece_count == c->s->problem->experiment_count; // no gaps at all
  c->weight = closed ? WEIGHT_LAST : WEIGHT_FIRST;
  while (!c->over) {
    run_stage(c);
    if (!c->over) next_weight(c);
  }
}

// ---------------------------------------------------------------- the whole

// A piece would have to begin with the values that discrete variables have there.
static bool can_treat(const Problem *p, const ShootingRequest *r) {
  if (p->model->flat->hybrid) return false;
  for (int e = 0; e < p->experiment_count; e++) {
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].delay >= 0) return false;
    for (int i = p->model->nx; i < r->piece_count[e] * p->model->nx; i++)
      if (!isfinite(r->states[e][i])) return false;
  }
  return true;
}

static void give_states(const Shooting *s, const ShootingPoint *at) {
  for (int e = 0, k = 0; e < s->problem->experiment_count; e++)
    for (int i = 0; i < s->request->piece_count[e]; i++, k++)
      if (i > 0)
        memcpy(s->request->states[e] + i * s->nx, at->states + (size_t)k * (size_t)s->nx,
               (size_t)s->nx * sizeof(double));
}

static void give_result(Shooting *s, const ShootingCourse *c, double *x, ShootingResult *out) {
  out->end = c->end;
  out->iterations = c->iterations;
  if (c->end == LOCAL_NO_START_END) return;
  memcpy(x, c->at->x, (size_t)s->n * sizeof *x);
  give_states(s, c->at);
  out->objective = c->at->data;
  out->gap = c->at->gap;
  out->converged = local_end_converged(c->end) && c->at->gap < GAP_CLOSED && patience_lasts(0);
  if (!out->R && !out->Qr) return;
  shooting_reduce(s, c->at, WEIGHT_LAST, 0);
  if (out->R) memcpy(out->R, s->step.R, (size_t)s->n * (size_t)s->n * sizeof(double));
  if (out->Qr) memcpy(out->Qr, s->step.Qr, (size_t)s->n * sizeof(double));
}

void shooting_run(const Problem *p, const ShootingRequest *request, double *x, WorkCount *work,
                  ShootingResult *out) {
  out->objective = out->gap = HUGE_VAL;
  out->converged = false;
  out->end = LOCAL_NO_START_END;
  out->iterations = 0;
  if (!can_treat(p, request)) return;
  double began = patience_clock();
  Arena *a = arena_new();
  Shooting s = {.problem = p, .request = request, .arena = a, .count = work};
  shooting_init(&s);
  ShootingCourse c = {.s = &s,
                      .at = shooting_point_new(&s),
                      .trial = shooting_point_new(&s),
                      .damping = DAMPING_FIRST,
                      .growth = 2,
                      .began = began};
  shooting_begin(&s, x, c.at);
  run_course(&c);
  give_result(&s, &c, x, out);
  shooting_done(&s);
  arena_free(a);
  work->seconds += patience_clock() - began;
}
