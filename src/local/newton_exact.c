// Newton's method with the exact second derivatives H of the objective, in the Levenberg-Marquardt trust region of Ding, Pan
// and Chen (Int. J. Non-Linear Mech. 47 (2011) 1105), as Frewin (2013) has it in section 4.4.3. A step minimises
//   slope'd + d'Hd/2 + sigma/2 |scale d|^2
// inside the bounds. sigma is raised until H + sigma scale^2 is positive definite, four times higher after a step of which
// the model promised too much (actual by predicted gain below c1), half as high after a good one (above c2). Their sigma acts
// on the unknowns as they are, ours on scaled ones, as in lm: units do not matter. Simulations that fail are bad steps.
//
// Two shortcuts spare simulations: sigmas that would hardly shorten a bad step are passed over, and the whole step is taken
// as soon as it is no longer than twice the last good one.
#include <math.h>
#include <string.h>

#include "local/descent.h"
#include "num/cholesky.h"

static const double ROUNDING = 50 * 0x1p-52; // what may be left of a positive diagonal
static const double LEAST = 1e-13, MOST = 1e300, RAISE = 4, LOWER = 0.5; // of sigma

// Second derivatives at the point. Where they cannot be computed, R'R, those of linear residuals, replace them for a step.
static bool look_newton(Descent *s) {
  const Lsq *lsq = s->lsq;
  int n = lsq->n;
  double *H = s->work.hessian;
  LsqEnd end = lsq->hessian ? lsq->hessian(lsq->self, s->at->x, H) : LSQ_FAILED;
  if (end == LSQ_STOP) return false;
  bool known = end == LSQ_DONE;
  for (int i = 0; known && i < n * n; i++) known = isfinite(H[i]);
  if (known) return true;
  const double *R = s->at->R;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k <= i && k <= j; k++) sum += R[(size_t)k * n + i] * R[(size_t)k * n + j];
      H[(size_t)i * n + j] = sum;
    }
  return true;
}

// The model as a triangle: R'R = H + sigma scale^2 and R'Qr = slope, for the unknowns that are not held. False when that is
// not positive definite.
static bool damp(Descent *s, double sigma) {
  int n = s->lsq->n;
  const double *scale = s->model.scale;
  const int *held = s->work.held;
  double *R = s->work.curved_R, *Qr = s->work.curved_Qr;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double h = s->work.hessian[(size_t)i * n + j] / (scale[i] * scale[j]);
      R[(size_t)i * n + j] = (held[i] || held[j] ? i == j : h) + (i == j ? sigma : 0);
    }
  if (!cholesky(n, R, ROUNDING)) return false;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) R[(size_t)i * n + j] *= scale[j];
  for (int i = 0; i < n; i++) {
    double sum = held[i] ? 0 : s->model.slope[i];
    for (int k = 0; k < i; k++) sum -= R[(size_t)k * n + i] * Qr[k];
    Qr[i] = sum / R[(size_t)i * n + i];
  }
  return true;
}

// The step with this sigma; false when there is none, or none that fits into the region.
static bool fits(Descent *s, double sigma) {
  if (!damp(s, sigma)) return false;
  const DescentModel *at = &s->model;
  LinearModel m = {s->lsq->n, s->work.curved_R, s->work.curved_Qr, at->scale, at->low, at->high};
  linear_boxed_step(s->work.linear, &m, linear_least_damping(&m), s->step.d);
  return linear_size(&m, s->step.d) <= s->radius;
}

// The whole Newton step, if it fits. Else the least sigma of the ladder, up from the present one, that makes the model convex
// and whose step fits. Twice what makes it convex: a direction in which it bends down then counts as one in which it bends up
// as much. The first step with a sigma that was given makes the first region.
static void propose_newton(Descent *s) {
  bool given = s->damping > 0 && s->result->iterations == 0 && s->rejected == 0;
  const DescentModel *m = &s->model;
  // Held: at a bound with the slope pointing out of it. Its second derivatives do not matter.
  for (int i = 0; i < s->lsq->n; i++)
    s->work.held[i] = m->low[i] == m->high[i] || (m->low[i] >= 0 && m->slope[i] >= 0) ||
                      (m->high[i] <= 0 && m->slope[i] <= 0);
  s->step.limited = given || !fits(s, 0);
  if (!s->step.limited) return;
  double least = fmax(s->damping, LEAST), sigma = least;
  while (sigma < MOST && !damp(s, sigma)) sigma *= RAISE;
  if (sigma > least) least = sigma = 2 * sigma;
  while (sigma < MOST && !fits(s, sigma)) sigma *= RAISE;
  if (LOWER * sigma >= least && fits(s, LOWER * sigma))
    sigma *= LOWER;
  else
    fits(s, sigma);
  s->damping = sigma;
  if (given) s->radius = linear_size(&m->used, s->step.d);
}

// -(slope'd + d'Hd/2): sigma does not count.
static double newton_gain(const Descent *s) {
  int n = s->lsq->n;
  const double *d = s->step.d;
  double gain = 0;
  for (int i = 0; i < n; i++) {
    double change = 0;
    for (int j = 0; j < n; j++) change += s->work.hessian[(size_t)i * n + j] * d[j];
    gain -= (s->model.slope[i] + change / 2) * d[i];
  }
  return gain;
}

static void judge_newton(Descent *s, double ratio) {
  double size = linear_size(&s->model.used, s->step.d);
  if (!s->step.limited) s->damping = 0;
  if (ratio < s->options->newton_c1) {
    s->radius = (ratio > 0 ? 0.5 : 0.25) * size;
    s->damping *= RAISE;
  } else if (ratio > s->options->newton_c2) {
    s->radius = fmax(s->radius, 2 * size);
    s->damping *= LOWER;
  }
}

static void begin_newton(Descent *s) {
  descent_first_radius(s);
  s->damping = s->options->newton_sigma;
}

static const StepRule NEWTON = {.begin = begin_newton,
                                .look = look_newton,
                                .propose = propose_newton,
                                .gain = newton_gain,
                                .judge = judge_newton};

void local_newton(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  descent_run(&NEWTON, lsq, options, result);
}
