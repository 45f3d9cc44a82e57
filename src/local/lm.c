// Levenberg-Marquardt: the linear model plus damping*|scale d|^2, with its exact minimum inside the bounds as the step.
// scale: the largest norm that each column of R has had, so that the path does not depend on the units of the numbers.
#include <math.h>
#include <string.h>

#include "local/descent.h"

// With this damping |scale d| is below the radius for certain (Moré 1978).
static double damping_above(const Descent *s) {
  double sum = 0;
  for (int i = 0; i < s->lsq->n; i++) {
    double pull = s->slope[i] / s->scale[i];
    sum += pull * pull;
  }
  return sqrt(sum) / s->radius;
}

// Finds the damping whose step is as large as the radius, within a tenth. 1/size is nearly linear in the damping.
static void step_of_radius(Descent *s, double least, double full_size) {
  enum { ROUNDS = 20 };
  double low = least, high = damping_above(s), r = s->radius;
  double last = least, last_inverse = 1 / full_size;
  double damping = s->damping > low && s->damping < high ? s->damping : sqrt(low * high);
  damping = fmax(damping, 1e-3 * high);
  for (int i = 0; i < ROUNDS; i++) {
    linear_boxed_step(s->linear, &s->model, damping, s->d);
    double size = linear_size(&s->model, s->d);
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
  double size = linear_size(&s->model, s->aim);
  s->limited = size > 1.1 * s->radius;
  if (s->limited)
    step_of_radius(s, linear_least_damping(&s->model), size);
  else
    memcpy(s->d, s->aim, (size_t)s->lsq->n * sizeof *s->d);
}

// Steps of ten times the scaled length of the start values are taken without hesitation: near a solution nothing is
// faster, and a bad one is abandoned early.
static void begin_with_radius(Descent *s) {
  double sum = 0;
  for (int i = 0; i < s->lsq->n; i++) {
    double size = fmax(fabs(s->at->x[i]), s->lsq->typical[i]) * s->seen[i];
    sum += size * size;
  }
  s->radius = sum > 0 ? 10 * sqrt(sum) : 1;
}

static void judge_radius(Descent *s, double ratio) {
  double size = linear_size(&s->model, s->d);
  if (ratio < 0.25)
    s->radius = (ratio > 0 ? 0.5 : 0.25) * fmin(s->radius, size);
  else if (ratio > 0.75 || !s->limited)
    s->radius = fmax(s->radius, 2 * size);
}

const StepRule lm_radius_rule = {
    .name = "lm",
    .meaning = "damping found from a trust region",
    .begin = begin_with_radius,
    .propose = propose_within_radius,
    .judge = judge_radius,
};

static void begin_with_damping(Descent *s) {
  s->damping = 1e-3;
  s->raise = 2;
}

static void propose_damped(Descent *s) {
  linear_boxed_step(s->linear, &s->model, s->damping, s->d);
  s->limited = linear_gain(&s->model, s->d) < 0.9 * s->aim_gain;
}

// Nielsen, report IMM-REP-1999-05, Technical University of Denmark.
static void judge_damping(Descent *s, double ratio) {
  double e = 2 * ratio - 1;
  s->damping *= ratio > 0 ? fmax(1.0 / 3, 1 - e * e * e) : s->raise;
  s->damping = fmax(s->damping, 1e-20);
  s->raise = ratio > 0 ? 2 : 2 * s->raise;
}

const StepRule lm_damping_rule = {
    .name = "lm, damping",
    .meaning = "damping raised and lowered by the gain ratio",
    .begin = begin_with_damping,
    .propose = propose_damped,
    .judge = judge_damping,
};

static void judge_by_tens(Descent *s, double ratio) {
  s->damping *= ratio >= DESCENT_GOOD ? 0.1 : 10;
  s->damping = fmin(fmax(s->damping, 1e-20), 1e20);
}

const StepRule lm_marquardt_rule = {
    .name = "lm, Marquardt",
    .meaning = "damping raised and lowered by tens (Marquardt 1963)",
    .plain = true,
    .begin = begin_with_damping,
    .propose = propose_damped,
    .judge = judge_by_tens,
};

void local_lm(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  bool plain = options->fit && options->fit->lm_damping == LM_DAMPING_MARQUARDT;
  descent_run(plain ? &lm_marquardt_rule : &lm_radius_rule, lsq, options, result);
}
