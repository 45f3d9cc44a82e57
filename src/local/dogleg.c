// A rectangular trust region cut by the bounds, in which the step follows the dogleg: from the minimum along the steepest
// descent towards that of the linear model (Voglis and Lagaris, WSEAS 2004).
#include <math.h>
#include <string.h>

#include "local/descent.h"

typedef struct Box { // of the step: trust region and bounds
  double low, high;
} Box;

static Box box_of(const Descent *s, int i) {
  double r = s->radius / s->scale[i];
  return (Box){fmax(s->low[i], -r), fmin(s->high[i], r)};
}

static bool is_free(const Descent *s, int i) {
  if (s->low[i] == s->high[i] || s->slope[i] == 0) return false;
  return s->slope[i] > 0 ? s->low[i] < 0 : s->high[i] > 0;
}

// How much of `step`, added to d, stays in the box; at most 1.
static double part_inside(const Descent *s, const double *d, const double *step) {
  double part = 1;
  for (int i = 0; i < s->lsq->n; i++) {
    Box b = box_of(s, i);
    if (step[i] < 0) part = fmin(part, (b.low - d[i]) / step[i]);
    if (step[i] > 0) part = fmin(part, (b.high - d[i]) / step[i]);
  }
  return fmax(part, 0);
}

static void add_inside(const Descent *s, double part, const double *step, double *d) {
  for (int i = 0; i < s->lsq->n; i++) {
    Box b = box_of(s, i);
    d[i] = fmin(fmax(d[i] + part * step[i], b.low), b.high);
  }
}

// Steepest descent in scaled numbers, to the minimum along it.
static void steepest(const Descent *s, double *step) {
  int n = s->lsq->n;
  double along = 0, curvature = 0;
  for (int i = 0; i < n; i++) {
    step[i] = is_free(s, i) ? -s->slope[i] / (s->scale[i] * s->scale[i]) : 0;
    along -= s->slope[i] * step[i];
  }
  for (int i = 0; i < n; i++) {
    double change = 0;
    for (int j = i; j < n; j++) change += s->model.R[(size_t)i * n + j] * step[j];
    curvature += change * change;
  }
  if (curvature > 0)
    for (int i = 0; i < n; i++) step[i] *= along / curvature;
}

static void propose_dogleg(Descent *s) {
  int n = s->lsq->n;
  double *newton = s->newton, *down = s->down;
  for (int i = 0; i < n; i++) s->use[i] = is_free(s, i);
  linear_step(s->linear, &s->model, linear_least_damping(&s->model), s->use, newton);
  memset(s->d, 0, (size_t)n * sizeof *s->d);
  s->limited = part_inside(s, s->d, newton) < 1;
  if (!s->limited) {
    memcpy(s->d, newton, (size_t)n * sizeof *s->d);
    return;
  }
  steepest(s, down);
  double part = part_inside(s, s->d, down);
  add_inside(s, part, down, s->d);
  if (part < 1) return;
  for (int i = 0; i < n; i++) newton[i] -= s->d[i];
  add_inside(s, part_inside(s, s->d, newton), newton, s->d);
}

static double largest(const Descent *s) {
  double most = 0;
  for (int i = 0; i < s->lsq->n; i++) most = fmax(most, fabs(s->scale[i] * s->d[i]));
  return most;
}

static void begin_dogleg(Descent *s) {
  double most = 0;
  for (int i = 0; i < s->lsq->n; i++)
    most = fmax(most, fmax(fabs(s->at->x[i]), s->lsq->typical[i]) * s->seen[i]);
  s->radius = most > 0 ? 10 * most : 1;
}

static void judge_dogleg(Descent *s, double ratio) {
  double size = largest(s);
  if (ratio < 0.25)
    s->radius = (ratio > 0 ? 0.5 : 0.25) * fmin(s->radius, size);
  else if (ratio > 0.75)
    s->radius = fmax(s->radius, 2 * size);
}

const StepRule dogleg_rule = {
    .name = "dogleg",
    .meaning = "dogleg in a rectangular trust region",
    .begin = begin_dogleg,
    .propose = propose_dogleg,
    .judge = judge_dogleg,
};
