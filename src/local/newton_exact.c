// Newton's method with the exact second derivatives H of the objective, in the Levenberg-Marquardt trust region of Ding, Pan
// and Chen (Int. J. Non-Linear Mech. 47 (2011) 1105), as Frewin (2013) has it in section 4.4.3. A step minimises the quadratic
// model of the objective plus sigma/2 |scale d|^2. sigma is raised until H + sigma scale^2 is positive definite, four times
// higher after a step of which the model promised too much (actual by predicted gain below c1), half as high after a good one
// (above c2). Their sigma acts on the numbers as they are, ours on scaled ones, as in lm: units do not matter. Steps are the
// best ones inside the bounds, and simulations that fail are bad steps.
//
// Two shortcuts spare simulations: sigmas that would hardly shorten a bad step are passed over, and the whole step is taken
// as soon as it is no longer than twice the last good one.
#include <math.h>
#include <string.h>

#include "local/descent.h"
#include "num/cholesky.h"

static const double ROUNDING = 50 * 0x1p-52; // what may be left of a positive diagonal
static const double LEAST = 1e-13, MOST = 1e300, RAISE = 4, LOWER = 0.5; // of sigma

// A number at a bound that its slope presses against: it does not move, and its second derivatives do not matter.
static bool is_held(const Descent *s, int i) {
  if (s->low[i] == s->high[i]) return true;
  return (s->low[i] >= 0 && s->slope[i] >= 0) || (s->high[i] <= 0 && s->slope[i] <= 0);
}

// The model as a triangle: R'R = H + sigma scale^2 and R'Qr = slope, for the numbers that are not held. False when that is
// not positive definite.
static bool damp(Descent *s, double sigma) {
  int n = s->lsq->n;
  double *R = s->curved_R, *Qr = s->curved_Qr;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      bool held = s->use[i] || s->use[j];
      double h = s->hessian[(size_t)i * n + j] / (s->scale[i] * s->scale[j]);
      R[(size_t)i * n + j] = (held ? i == j : h) + (i == j ? sigma : 0);
    }
  if (!cholesky(n, R, ROUNDING)) return false;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) R[(size_t)i * n + j] *= s->scale[j];
  for (int i = 0; i < n; i++) {
    double sum = s->use[i] ? 0 : s->slope[i];
    for (int k = 0; k < i; k++) sum -= R[(size_t)k * n + i] * Qr[k];
    Qr[i] = sum / R[(size_t)i * n + i];
  }
  return true;
}

// The step with this sigma; false when there is none, or none that fits into the region.
static bool fits(Descent *s, double sigma) {
  if (!damp(s, sigma)) return false;
  LinearModel m = {s->lsq->n, s->curved_R, s->curved_Qr, s->scale, s->low, s->high};
  linear_boxed_step(s->linear, &m, linear_least_damping(&m), s->d);
  return linear_size(&m, s->d) <= s->radius;
}

// Of the model without sigma.
static double newton_gain(const Descent *s) {
  int n = s->lsq->n;
  double gain = 0;
  for (int i = 0; i < n; i++) {
    double change = 0;
    for (int j = 0; j < n; j++) change += s->hessian[(size_t)i * n + j] * s->d[j];
    gain -= (s->slope[i] + change / 2) * s->d[i];
  }
  return gain;
}

// The least sigma of the ladder, up from the present one, that makes the model convex and whose step fits. Twice what makes
// it convex: a direction in which it bends down then counts as one in which it bends up as much.
static void climb(Descent *s) {
  double least = fmax(s->damping, LEAST), sigma = least;
  while (sigma < MOST && !damp(s, sigma)) sigma *= RAISE;
  if (sigma > least) least = sigma = 2 * sigma;
  while (sigma < MOST && !fits(s, sigma)) sigma *= RAISE;
  if (LOWER * sigma >= least && fits(s, LOWER * sigma))
    sigma *= LOWER;
  else
    fits(s, sigma);
  s->damping = sigma;
}

// The first step with a sigma that was given makes the first region.
static void propose_newton(Descent *s) {
  bool given = s->damping > 0 && s->result->iterations == 0 && s->rejected == 0;
  for (int i = 0; i < s->lsq->n; i++) s->use[i] = is_held(s, i);
  s->limited = given || !fits(s, 0);
  if (!s->limited) return;
  climb(s);
  if (given) s->radius = linear_size(&s->model, s->d);
}

static void judge_newton(Descent *s, double ratio) {
  double size = linear_size(&s->model, s->d);
  if (!s->limited) s->damping = 0;
  if (ratio < s->options->c1) {
    s->radius = (ratio > 0 ? 0.5 : 0.25) * size;
    s->damping *= RAISE;
  } else if (ratio > s->options->c2) {
    s->radius = fmax(s->radius, 2 * size);
    s->damping *= LOWER;
  }
}

static void begin_newton(Descent *s) {
  lm_radius_rule.begin(s);
  s->damping = s->options->damping;
}

// What linear residuals would have: R'R.
static void use_linear(Descent *s) {
  int n = s->lsq->n;
  const double *R = s->at->R;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k <= i && k <= j; k++) sum += R[(size_t)k * n + i] * R[(size_t)k * n + j];
      s->hessian[(size_t)i * n + j] = sum;
    }
}

static bool is_finite(const double *v, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(v[i])) return false;
  return true;
}

// Where the second derivatives cannot be had, those of linear residuals take their place for a step.
static bool look_newton(Descent *s) {
  const Lsq *lsq = s->lsq;
  LsqEnd end = lsq->hessian ? lsq->hessian(lsq->self, s->at->x, s->hessian) : LSQ_FAILED;
  if (end == LSQ_STOP) return false;
  if (end != LSQ_DONE || !is_finite(s->hessian, lsq->n * lsq->n)) use_linear(s);
  return true;
}

static const StepRule newton_rule = {
    .name = "newton",
    .meaning = "exact second derivatives, damped",
    .begin = begin_newton,
    .look = look_newton,
    .propose = propose_newton,
    .gain = newton_gain,
    .judge = judge_newton,
};

void local_newton(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  descent_run(&newton_rule, lsq, options, result);
}
