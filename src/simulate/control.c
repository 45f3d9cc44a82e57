// Step size control of one-step methods: h_new = h * safety * error^-(1/order - 3/4 memory) * error_old^memory, the PI
// controller of Gustafsson (1991) as in Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2.
// First step: Hairer, Norsett and Wanner I, section II.4. Lanes share their steps; what a lane saves in error while
// others keep the steps short it may spend later.
#include "simulate/control.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// Absolute tolerances below this are taken as this: 0/0 must not arise for a state that stays 0.
static const double ABS_LEAST = 1e-300;
static const double ERROR_LEAST = 1e-10, ERROR_MOST = 1e10; // as far as the next step is concerned
static const double LOG_ERROR_OLD_LEAST = -13.3;            // log2 of 1e-4
static const double NOT_COMPUTABLE_FACTOR = 0.25;
static const double SAVED_MOST = 10, ALLOWED_MOST = 8; // errors of a lane, see count_lanes

int control_count(const Ode *ode) {
  return ode->n * ode->lanes * (1 + ode->stride);
}

Control *control_new(Arena *a, const Ode *ode, const ControlRule *rule) {
  Control *c = ARENA_NEW(a, Control);
  c->rule = rule;
  c->vec = vec_kernels();
  int padded = vec_padded(control_count(ode));
  c->abs_tol = ARENA_ARRAY(a, double, padded);
  c->squares = ARENA_ARRAY(a, double, padded);
  c->one_by_n = ode->n ? 1. / ode->n : 0;
  c->errors_sens = vec_padded(ode->lanes);
  c->errors = ARENA_ARRAY(a, double, c->errors_sens + vec_padded(ode->stride * ode->lanes));
  c->errors_lane = ARENA_ARRAY(a, double, vec_padded(ode->lanes));
  c->saved = ARENA_ARRAY(a, double, ode->lanes);
  c->allowed = ARENA_ARRAY(a, double, ode->lanes);
  for (int l = 0; l < ode->lanes; l++) c->allowed[l] = 1;
  c->by_usual = pow(rule->safety, -2. * rule->order);
  for (int i = 0; i < padded; i++) c->abs_tol[i] = 1;
  return c;
}

static void set_tolerances(Control *c, const Stepper *s) {
  const Ode *ode = s->ode;
  int rows = ode->n * (1 + ode->stride);
  for (int i = 0; i < rows; i++) {
    bool padding = i >= ode->n && (i - ode->n) % ode->stride >= ode->ns;
    for (int at = i * ode->lanes; at < (i + 1) * ode->lanes; at++)
      c->abs_tol[at] = padding ? 1 : fmax(s->tol.abs[at], ABS_LEAST);
  }
}

bool control_finite(const double *v, int count) {
  double zero[4] = {0}; // four sums: the time goes into waiting for the previous one
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int j = 0; j < 4; j++) zero[j] += v[i + j] - v[i + j];
  for (; i < count; i++) zero[0] += v[i] - v[i];
  return zero[0] + zero[1] + (zero[2] + zero[3]) == 0;
}

// log2 and exp2 by short polynomials that are exact at the ends of their intervals, so that both
// are continuous.
typedef union Bits {
  double number;
  uint64_t bits;
} Bits;

static double rough_log2(double x) {
  Bits u = {x};
  double whole = (double)((int)(u.bits >> 52) - 1023);
  u.bits = (u.bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
  double m = u.number - 1;
  double bend = 0.4417403 + m * (-0.26602988 + m * (0.14631434 - m * 0.04400469));
  return whole + m + m * (1 - m) * bend;
}

static double rough_exp2(double x) {
  if (!(x > -1000)) return 0;
  if (x > 1000) return HUGE_VAL;
  int down = (int)x - (x < 0);
  double f = x - down;
  Bits u = {.bits = (uint64_t)(down + 1023) << 52};
  return u.number * (1 + f + f * (1 - f) * (-0.30700434 + f * (-0.06543875 - f * 0.01368647)));
}

double control_power(double x, double exponent) {
  return rough_exp2(exponent * rough_log2(x));
}

static double least_step(const Control *c, const Stepper *s) {
  return fmax(16 * DBL_EPSILON * fabs(s->t), 1e-30 * c->span);
}

static double longest_step(const Control *c, const Stepper *s) {
  return s->tol.max_step > 0 ? fmin(s->tol.max_step, c->span) : c->span;
}

// Hairer, Norsett, Wanner I, section II.4: a step of which Euler's method makes about a hundredth
// of the error allowed. Where f cannot be computed at the probe point, a nearer point is tried.
static double probe_step(const Control *c, Stepper *s, double direction, const double *slope,
                         double *y_probe, double *slope_probe) {
  const Ode *ode = s->ode;
  int count = control_count(ode), worst;
  double size = stepper_norm(s, s->y, s->y, s->y, &worst);
  double speed = stepper_norm(s, slope, s->y, s->y, &worst);
  double longest = longest_step(c, s);
  double h = size < 1e-5 || speed < 1e-5 ? 1e-6 * fmin(1, longest) : 0.01 * (size / speed);
  h = fmin(h, longest);
  for (int tries = 0; tries < 30; tries++, h *= 0.1) {
    for (int i = 0; i < count; i++) y_probe[i] = s->y[i] + direction * h * slope[i];
    ode->rhs(ode->self, s->t + direction * h, y_probe, slope_probe);
    s->count.rhs++;
    s->count.rhs_sens += ode->ns > 0;
    if (!control_finite(slope_probe, count)) continue;
    for (int i = 0; i < count; i++) y_probe[i] = slope_probe[i] - slope[i];
    double bend = stepper_norm(s, y_probe, s->y, s->y, &worst) / h;
    double most = fmax(speed, bend);
    double by_bend = most <= 1e-15 ? fmax(1e-6, h * 1e-3)
                                   : control_power(0.01 / fmin(most, 1e300), 1. / c->rule->order);
    return fmin(fmin(100 * h, by_bend), longest);
  }
  return h;
}

void control_start(Control *c, Stepper *s, double t_end, const double *slope, double *y_probe,
                   double *slope_probe) {
  set_tolerances(c, s);
  c->span = fabs(t_end - s->t);
  c->log_error_old = 0;
  c->rejected = false;
  for (int l = 0; l < s->ode->lanes; l++) c->saved[l] = 0, c->allowed[l] = 1;
  double direction = t_end < s->t ? -1 : 1, h = s->tol.first_step;
  if (s->ode->n == 0)
    h = longest_step(c, s);
  else if (!(h > 0))
    h = probe_step(c, s, direction, slope, y_probe, slope_probe);
  s->h_next = direction * fmax(h, least_step(c, s));
  s->t_old = s->t;
  memcpy(s->y_old, s->y, (size_t)control_count(s->ode) * sizeof *s->y);
}

Attempt control_attempt(const Control *c, const Stepper *s, double limit) {
  double h = fmax(fabs(s->h_next), least_step(c, s)), distance = limit - s->t;
  if (s->tol.max_step > 0) h = fmin(h, s->tol.max_step);
  if (1.01 * h >= fabs(distance)) return (Attempt){distance, true};
  return (Attempt){distance < 0 ? -h : h, false};
}

double control_worst(const Control *c, const Ode *ode, const double *errors) {
  double worst = 0;
  for (int i = 0; i < ode->lanes; i++) {
    if (errors[i] != errors[i]) return errors[i];
    if (errors[i] > worst) worst = errors[i];
  }
  for (int i = 0; i < ode->stride * ode->lanes; i++) {
    double error = errors[c->errors_sens + i];
    if (error != error) return error;
    if (error > worst) worst = error;
  }
  return sqrt(worst);
}

double control_worst_lane(const Control *c, Stepper *s, const double *errors, double h) {
  const Ode *ode = s->ode;
  double worst = 0, *sens = c->errors_lane, *lane = s->lane_error;
  memset(sens, 0, (size_t)ode->lanes * sizeof *sens);
  if (ode->ns) c->vec->column_largest(errors + c->errors_sens, ode->stride, ode->lanes, sens);
  for (int l = 0; l < ode->lanes; l++) {
    double most = sens[l] <= errors[l] ? errors[l] : sens[l];
    lane[l] = (errors[l] != errors[l] ? errors[l] : most) / (c->allowed[l] * c->allowed[l]);
    if (!(lane[l] <= worst) && worst == worst) worst = lane[l]; // a NaN stays
    lane[l] *= h * h;
  }
  return fabs(h) * sqrt(worst);
}

double control_norm(Control *c, const Stepper *s, const double *e, const double *y1) {
  c->vec->scaled_squares(control_count(s->ode), e, s->y, y1, c->abs_tol, s->tol.rel, c->squares);
  control_columns(c, s->ode, c->squares, c->errors);
  return control_worst(c, s->ode, c->errors);
}

// Roots within a few percent; the bits of a number are about its logarithm.
static const uint64_t ONE = 0x3ff0000000000000ULL;

static double rough_root16(double x) {
  Bits u = {x};
  u.bits = (u.bits >> 4) + (ONE - (ONE >> 4));
  return u.number;
}

static double rough_root(double x) { // exact for powers of 4, never too small
  Bits u = {x};
  u.bits = (u.bits >> 1) + (ONE - (ONE >> 1));
  return u.number;
}

static double within(double x, double low, double high) { // fmin and fmax are calls
  return x < low ? low : x > high ? high : x;
}

// A lane alone takes steps that are longer by the order-th root of what its error is smaller; the eighth serves for all
// orders. While others keep the steps shorter than it needs, its errors are smaller than they would be alone, by much: what
// it saves so it may spend later, in steps with a larger error, so that after all it is as accurate as alone. Equal lanes
// save nothing.
static void count_lanes(Control *c, Stepper *s) {
  double most = 0, *error = c->errors_lane;
  int lanes = s->ode->lanes;
  for (int l = 0; l < lanes;
       l++) { // squared errors, against those of the steps that a lane alone aims at
    error[l] = s->lane_error[l] * (c->allowed[l] * c->allowed[l]) * c->by_usual;
    most = error[l] > most ? error[l] : most;
  }
  if (!(most > ERROR_LEAST * ERROR_LEAST)) return;
  double usual = most < 1 ? sqrt(most) : rough_root16(most), by_most = 1 / most;
  for (int l = 0; l < lanes; l++) {
    double share = rough_root16(error[l] * by_most);
    double saved = c->saved[l] + usual * share - rough_root(error[l]);
    s->lane_steps[l] += share;
    c->saved[l] = within(saved, -1, SAVED_MOST);
    c->allowed[l] = within(1 + saved, 1, ALLOWED_MOST);
  }
}

void control_accept(Control *c, Stepper *s, Attempt a, double error) {
  const ControlRule *r = c->rule;
  if (s->lane_error) count_lanes(c, s);
  double log = rough_log2(error > ERROR_LEAST ? error : ERROR_LEAST);
  double change = c->log_error_old * r->memory - log * (1. / r->order - 0.75 * r->memory);
  double factor = r->safety * rough_exp2(change), most = c->rejected ? 1 : r->fast;
  if (factor > most) factor = most;
  if (factor < r->slow) factor = r->slow;
  double h = a.h * factor;
  // a step cut short at the limit says little against the step that was wanted
  bool cut = a.last && fabs(a.h) < fabs(s->h_next) && !c->rejected;
  if (!cut || fabs(h) > fabs(s->h_next)) s->h_next = h;
  c->log_error_old = log > LOG_ERROR_OLD_LEAST ? log : LOG_ERROR_OLD_LEAST;
  c->rejected = false;
  s->count.steps++;
}

static int largest_or_broken(const double *v, int count) {
  int worst = 0;
  for (int i = 0; i < count; i++) {
    if (!isfinite(v[i])) return i;
    if (v[i] > v[worst]) worst = i;
  }
  return worst;
}

StepEnd control_reject(Control *c, Stepper *s, Attempt a, double error, const double *broken) {
  const ControlRule *r = c->rule;
  s->count.rejected++;
  if (s->ode->lanes == 1)
    s->worst = largest_or_broken(broken ? broken : c->squares, control_count(s->ode));
  s->last_error = broken || isnan(error) ? HUGE_VAL : error;
  c->rejected = true;
  double factor = NOT_COMPUTABLE_FACTOR;
  if (isfinite(s->last_error))
    factor = fmax(r->slow, r->safety * control_power(fmin(error, ERROR_MOST), -1. / r->order));
  s->h_next = a.h * factor;
  if (fabs(s->h_next) >= least_step(c, s)) return STEP_DONE;
  return broken ? STEP_NOT_COMPUTABLE : STEP_TOO_SMALL;
}
