// Levenberg-Marquardt: each step minimises |Qr + R d|^2 + damping*|scale d|^2 exactly, inside the bounds. scale: the largest
// norm that each column of R has had, so that the path does not depend on the units of the unknowns. The damping is the one
// whose step is as long as the radius of a trust region, |scale d| = radius (Moré, in Lecture Notes in Mathematics 630 (1978)
// 105); the radius follows the ratio of actual to predicted gain. descent.c accepts, rejects and stops.
//
// This is the default local method. It was compared with damping by the gain ratio (Nielsen, report IMM-REP-1999-05) and with
// a dogleg in a rectangular trust region (Voglis and Lagaris, WSEAS 2004), on the problems of bench/local.c: it finds the most
// minima and needs the fewest evaluations in all; the dogleg needs fewer on NIST's sets, but misses two of them.
#include <math.h>
#include <string.h>

#include "local/descent.h"

// Finds the damping whose step is as long as the radius, within a tenth. 1/size is nearly linear in the damping: secants,
// kept inside an interval. full_size: that of the step with the least damping.
static void step_of_radius(Descent *s, double least, double full_size) {
  enum { ROUNDS = 20 };
  const DescentModel *m = &s->model;
  double sum = 0, r = s->radius;
  for (int i = 0; i < s->lsq->n; i++) {
    double pull = m->slope[i] / m->scale[i];
    sum += pull * pull;
  }
  double low = least, high = sqrt(sum) / r; // |scale d| < r with this damping (Moré 1978)
  double last = least, last_inverse = 1 / full_size;
  double damping = s->damping > low && s->damping < high ? s->damping : sqrt(low * high);
  damping = fmax(damping, 1e-3 * high);
  for (int i = 0; i < ROUNDS; i++) {
    linear_boxed_step(s->work.linear, &m->used, damping, s->step.d);
    double size = linear_size(&m->used, s->step.d);
    s->damping = damping;
    if (fabs(size - r) <= 0.1 * r) return;
    if (size > r)
      low = damping;
    else
      high = damping;
    double next = damping + (1 / r - 1 / size) * (damping - last) / (1 / size - last_inverse);
    last = damping;
    last_inverse = 1 / size;
    damping = next > low && next < high ? next : sqrt(low * high);
  }
}

static void propose_within_radius(Descent *s) {
  const DescentModel *m = &s->model;
  double size = linear_size(&m->used, m->aim);
  s->step.limited = size > 1.1 * s->radius;
  if (s->step.limited)
    step_of_radius(s, linear_least_damping(&m->used), size);
  else
    memcpy(s->step.d, m->aim, (size_t)s->lsq->n * sizeof *s->step.d);
}

static void judge_radius(Descent *s, double ratio) {
  double size = linear_size(&s->model.used, s->step.d);
  if (ratio < 0.25)
    s->radius = (ratio > 0 ? 0.5 : 0.25) * fmin(s->radius, size);
  else if (ratio > 0.75 || !s->step.limited)
    s->radius = fmax(s->radius, 2 * size);
}

static const StepRule RADIUS = {
    .begin = descent_first_radius, .propose = propose_within_radius, .judge = judge_radius};

// ---------------------------------------------------------------- Marquardt's rule, for comparison

static void begin_with_damping(Descent *s) {
  s->damping = 1e-3;
}

static void propose_damped(Descent *s) {
  const LinearModel *m = &s->model.used;
  linear_boxed_step(s->work.linear, m, s->damping, s->step.d);
  s->step.limited = linear_gain(m, s->step.d) < 0.9 * s->model.aim_gain;
}

// A tenth of the damping after a good step, ten times as much after a bad one (Marquardt, J. SIAM 11 (1963) 431).
static void judge_by_tens(Descent *s, double ratio) {
  s->damping *= ratio >= DESCENT_GOOD ? 0.1 : 10;
  s->damping = fmin(fmax(s->damping, 1e-20), 1e20);
}

static const StepRule MARQUARDT = {
    .plain = true, .begin = begin_with_damping, .propose = propose_damped, .judge = judge_by_tens};

void local_lm(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  bool by_tens = options->lm_damping == LM_DAMPING_MARQUARDT;
  descent_run(by_tens ? &MARQUARDT : &RADIUS, lsq, options, result);
}
