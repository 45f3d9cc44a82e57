// rk4: the classical method of Runge and Kutta; between steps the cubic through values and slopes at both ends.
//
// semi-implicit-euler: (I/h - f_x) u = f(t + h, y), y_new = y + u, the linearly implicit Euler method (Deuflhard, Hairer and Zugck
// 1987, Numer. Math. 51:501); f_x at (t + h, y), or that of an earlier step. Between steps a straight line.
//
// Sensitivities are the derivatives of these formulas by the parameters, so that they are exact for the numbers that come out: of
// rk4 the same method for the sensitivity equations, of Euler's (I/h - f_x) u_p = f_x S + f_p + (d f_x/dp) u.
#include "simulate/fixed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "num/lu.h"
#include "num/vec.h"
#include "simulate/control.h"

static const double SLACK = 1e-6; // of a step: it may be so much longer to end where it must

typedef struct FixedStep {
  int count;                         // numbers in y
  double h;                          // of the next step
  double *slope, *slope_end;         // f at the ends of the last step; slope: at (t, y), too
  double *arg, *k[3], *end;          // rk4: argument of a stage, slopes of stages
  bool slope_ready, slope_end_ready; // slope belongs to (t, y)
  bool bends;                        // the last step has slopes at both ends
  // Of Euler's method.
  Lu *lu;
  const Pattern *pattern;
  double *J, *DJ;
  int age;    // of J in steps
  double h_J; // of the factors; 0: there are none
} FixedStep;

static FixedStep *new_work(Stepper *s, Arena *a) {
  FixedStep *w = ARENA_NEW(a, FixedStep);
  assert(s->ode->lanes == 1);
  s->data = w;
  w->count = control_count(s->ode);
  int padded = vec_padded(w->count);
  double **vectors[] = {&w->slope, &w->slope_end, &w->arg, &w->end, &w->k[0], &w->k[1], &w->k[2]};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, padded);
  return w;
}

static void rk4_init(Stepper *s, Arena *a) {
  new_work(s, a);
}

static const Pattern NO_STATES = {0, 0, (const int[]){0}, NULL};

static void euler_init(Stepper *s, Arena *a) {
  const Ode *ode = s->ode;
  FixedStep *w = new_work(s, a);
  w->pattern = ode->n ? ode->pattern : &NO_STATES;
  w->lu = lu_new_sparse(a, w->pattern);
  w->J = ARENA_ARRAY(a, double, pattern_count(w->pattern) + 1);
  w->DJ = ARENA_ARRAY(a, double, vec_padded(pattern_count(w->pattern) * ode->stride) + 8);
}

// The first step may be shorter, as an option or a caller wants it.
static void start(Stepper *s, double t_end) {
  FixedStep *w = s->data;
  double h = s->tol.fixed_step;
  assert(h > 0);
  if (s->tol.max_step > 0) h = fmin(h, s->tol.max_step);
  s->h_next = copysign(h, t_end - s->t);
  if (s->tol.first_step > 0) s->h_next = copysign(fmin(h, s->tol.first_step), s->h_next);
  w->h = s->h_next;
  w->slope_ready = w->bends = false;
  w->h_J = 0;
}

static void moved(Stepper *s) {
  FixedStep *w = s->data;
  w->slope_ready = w->bends = false;
}

static bool evaluate(Stepper *s, double t, const double *y, double *dy) {
  s->ode->rhs(s->ode->self, t, y, dy);
  s->count.rhs++;
  s->count.rhs_sens += s->ode->ns > 0;
  return control_finite(dy, control_count(s->ode));
}

// The step that comes: its length, and where it ends.
static double aim(Stepper *s, double limit, double *end) {
  FixedStep *w = s->data;
  double h = w->h, rest = limit - s->t;
  bool last = fabs(rest) <= (1 + SLACK) * fabs(h);
  *end = last ? limit : s->t + h;
  return last ? rest : h;
}

// The new numbers are in w->end.
static StepEnd accept(Stepper *s, double end) {
  FixedStep *w = s->data;
  size_t bytes = (size_t)w->count * sizeof *s->y;
  if (!control_finite(w->end, w->count)) return STEP_NOT_COMPUTABLE;
  memcpy(s->y_old, s->y, bytes);
  memcpy(s->y, w->end, bytes);
  s->t_old = s->t, s->t = end;
  s->count.steps++;
  double h = s->tol.max_step > 0 ? fmin(s->tol.fixed_step, s->tol.max_step) : s->tol.fixed_step;
  w->h = s->h_next = copysign(h, s->h_next);
  return STEP_DONE;
}

// ---------------------------------------------------------------- Runge and Kutta

static bool stage(Stepper *s, double t, double h, const double *k, double *slope) {
  FixedStep *w = s->data;
  for (int i = 0; i < w->count; i++) w->arg[i] = s->y[i] + h * k[i];
  return evaluate(s, t, w->arg, slope);
}

static StepEnd rk4_step(Stepper *s, double limit) {
  FixedStep *w = s->data;
  double end;
  if (limit == s->t) return STEP_DONE;
  if (control_exhausted(s)) return STEP_TOO_MANY;
  double h = aim(s, limit, &end), middle = s->t + h / 2;
  if (!w->slope_ready && !evaluate(s, s->t, s->y, w->slope)) return STEP_NOT_COMPUTABLE;
  if (!stage(s, middle, h / 2, w->slope, w->k[0]) || !stage(s, middle, h / 2, w->k[0], w->k[1]) ||
      !stage(s, end, h, w->k[1], w->k[2]))
    return STEP_NOT_COMPUTABLE;
  for (int i = 0; i < w->count; i++)
    w->end[i] = s->y[i] + h / 6 * (w->slope[i] + 2 * (w->k[0][i] + w->k[1][i]) + w->k[2][i]);
  if (!evaluate(s, end, w->end, w->slope_end)) return STEP_NOT_COMPUTABLE;
  StepEnd result = accept(s, end);
  double *begin = w->slope;
  w->slope = w->slope_end, w->slope_end = begin; // now that of the beginning
  w->slope_ready = w->bends = result == STEP_DONE;
  return result;
}

static void rk4_dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  const FixedStep *w = s->data;
  int count = with_sensitivities ? w->count : s->ode->n;
  double h = s->t - s->t_old, a = (t - s->t_old) / h, b = 1 - a;
  if (t == s->t || t == s->t_old) {
    memcpy(y, t == s->t ? s->y : s->y_old, (size_t)count * sizeof *y);
    return;
  }
  const double *f0 = w->slope_end, *f1 = w->slope;
  for (int i = 0; i < count; i++) {
    double line = b * s->y_old[i] + a * s->y[i], rise = s->y[i] - s->y_old[i];
    y[i] = line + a * b * (b * (h * f0[i] - rise) - a * (h * f1[i] - rise));
  }
}

// ---------------------------------------------------------------- Euler

static bool prepare_jacobian(Stepper *s, double t, double h) {
  FixedStep *w = s->data;
  const Ode *ode = s->ode;
  int entries = pattern_count(w->pattern);
  bool old = w->h_J == 0 || w->age >= s->tol.jacobian_every;
  if (old) {
    ode->jacobian(ode->self, t, s->y, w->J, NULL);
    if (ode->ns) ode->jacobian_sens(ode->self, t, s->y, w->DJ, w->arg + ode->n);
    s->count.jacobians++;
    w->age = 0;
    if (!control_finite(w->J, entries) || !control_finite(w->DJ, entries * ode->stride))
      return false;
  }
  w->age++;
  if (!old && h == w->h_J) return true;
  s->count.factorisations++;
  w->h_J = h;
  return lu_factor_sparse(w->lu, w->J, -1, 1 / h);
}

// What the motion of the Jacobian adds to the right sides of the sensitivities.
static void add_bend(const FixedStep *w, const Ode *ode, const double *u, double *right) {
  const Pattern *p = w->pattern;
  int stride = ode->stride;
  for (int r = 0; r < ode->n; r++)
    for (int e = p->start[r]; e < p->start[r + 1]; e++)
      for (int k = 0; k < ode->ns; k++)
        right[r * stride + k] += u[p->column[e]] * w->DJ[e * stride + k];
}

static StepEnd euler_step(Stepper *s, double limit) {
  FixedStep *w = s->data;
  const Ode *ode = s->ode;
  double end;
  if (limit == s->t) return STEP_DONE;
  if (control_exhausted(s)) return STEP_TOO_MANY;
  double h = aim(s, limit, &end), *u = w->k[0];
  if (ode->n && (!evaluate(s, end, s->y, w->slope) || !prepare_jacobian(s, end, h)))
    return STEP_NOT_COMPUTABLE;
  if (ode->n) lu_solve(w->lu, w->slope, u);
  if (ode->ns) {
    add_bend(w, ode, u, w->slope + ode->n);
    lu_solve_block(w->lu, w->slope + ode->n, ode->stride, ode->stride, u + ode->n);
  }
  for (int i = 0; i < w->count; i++) w->end[i] = s->y[i] + u[i];
  return accept(s, end);
}

static void euler_dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  const FixedStep *w = s->data;
  int count = with_sensitivities ? w->count : s->ode->n;
  double a = (t - s->t_old) / (s->t - s->t_old), b = 1 - a;
  for (int i = 0; i < count; i++) y[i] = t == s->t ? s->y[i] : b * s->y_old[i] + a * s->y[i];
}

const StepperRow STEPPER_RK4 = {
    .name = "rk4",
    .meaning = "Runge and Kutta, order 4, with steps of length fixed_step",
    .order = 4,
    .fixed = true,
    .init = rk4_init,
    .start = start,
    .step = rk4_step,
    .moved = moved,
    .dense = rk4_dense,
};

const StepperRow STEPPER_SEMI_IMPLICIT_EULER = {
    .name = "semi-implicit-euler",
    .meaning = "linearly implicit Euler, order 1, with steps of length fixed_step",
    .order = 1,
    .implicit = true,
    .differentiated = true,
    .fixed = true,
    .init = euler_init,
    .start = start,
    .step = euler_step,
    .moved = moved,
    .dense = euler_dense,
};
