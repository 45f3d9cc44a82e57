// Rosenbrock-Wanner method Rodas5P (Steinebach 2023) in the form without products of J (Hairer and Wanner, Solving
// Ordinary Differential Equations II, section IV.7): with J = f_x and one factorisation of I/(gamma h) - J for all
// stages
//   (I/(gamma h) - J) u_i = f(t + c_i h, y + sum_j a_ij u_j) + sum_j (b_ij / h) u_j + g_i h f_t,
// and y_new is the argument of the last stage plus its u, which is also the error estimate.
//
// Sensitivities are the derivative of these equations by the parameters: the same matrix, and on the right side also
// (dJ/dp) u_i and g_i h df_t/dp.
#include "simulate/rosenbrock.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "num/lu.h"
#include "num/vec.h"
#include "simulate/control.h"
#include "simulate/rosenbrock_tableau.h"

typedef struct Rosenbrock Rosenbrock;

typedef struct RosenbrockKernels {
  void (*stages)(const Rosenbrock *w, const Stepper *s, double h);
  void (*dense)(const Rosenbrock *w, int count);
  void (*value)(const Rosenbrock *w, const Stepper *s, double theta, int count, double *out);
} RosenbrockKernels;

enum { STAGES = 8 };

// The spectral radius of f_x by the power method, one product a step: when h times it stays small,
// an explicit method could take the same steps.
enum { WATCH_STEPS = 8, WATCH_WINDOWS = 3 };
static const double WATCH_LIMIT = 2; // of h*radius

typedef struct StiffnessWatch {
  double *v, *product;
  double growth; // of v since the window began
  double h_most;
  int steps, calm; // in this window; windows in a row below the limit
} StiffnessWatch;

struct Rosenbrock {
  RosenbrockKernels kernels;
  Control *control;
  const Pattern *pattern;
  Lu *lu;
  int count, ld;             // numbers in y; distance of the stages in u
  double *u;                 // stage j at u + j*ld, counted from 1
  double *arg, *add, *right; // of the current stage: argument, earlier stages, right-hand side
  double *slope, *slope_start, *end; // f at arg, f at the start of the step, the new y
  double *slope_end;
  double *J, *ft, *DJ, *Dft; // at the start of the step
  double *dense;             // coefficient j at dense + j*ld, counted from 1
  bool computable;           // slope_start is finite
  bool derivatives_ready;    // J and the rest belong to (t, y)
  bool time_matters;         // some number in ft or Dft is not 0
  bool fresh;                // no step yet since start or moved
  int dense_count;           // numbers for which dense is ready
  StiffnessWatch watch;
};

#define VEC_KERNELS "simulate/rosenbrock_kernels.inc"
#include "num/vec_twice.inc"

static RosenbrockKernels best_kernels(void) {
  if (vec_wide()) return (RosenbrockKernels){VEC_BEST(stages), VEC_BEST(dense), VEC_BEST(value)};
  return (RosenbrockKernels){stages_plain, dense_plain, value_plain};
}

static const ControlRule RULE = {.order = 5, .memory = 0.02, .safety = 0.9, .slow = 0.2, .fast = 6};

static const double MISLED = 1e4; // scaled error of a step whose Jacobian misleads

static const Pattern NO_STATES = {0, 0, (const int[]){0}, NULL};

static void init(Stepper *s, Arena *a) {
  const Ode *ode = s->ode;
  assert(ode->lanes == 1);
  assert(ode->n == 0 || (ode->jacobian && ode->pattern));
  assert(ode->n == 0 || ode->ns == 0 || ode->jacobian_sens);
  Rosenbrock *w = ARENA_NEW(a, Rosenbrock);
  s->data = w;
  w->kernels = best_kernels();
  w->control = control_new(a, ode, &RULE);
  w->pattern = ode->n ? ode->pattern : &NO_STATES;
  w->lu = lu_new_sparse(a, w->pattern);
  w->count = control_count(ode);
  w->ld = vec_padded(w->count);
  w->u = ARENA_ARRAY(a, double, (STAGES + 1) * w->ld);
  w->dense = ARENA_ARRAY(a, double, 4 * w->ld);
  double **vectors[] = {&w->arg,         &w->add, &w->right,     &w->slope,
                        &w->slope_start, &w->end, &w->slope_end, &w->ft};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, w->ld);
  int entries = pattern_count(w->pattern);
  w->J = ARENA_ARRAY(a, double, entries);
  w->DJ = ARENA_ARRAY(a, double, vec_padded(entries * ode->stride));
  w->Dft = ARENA_ARRAY(a, double, w->ld);
  w->watch.v = ARENA_ARRAY(a, double, ode->n);
  w->watch.product = ARENA_ARRAY(a, double, ode->n);
}

// ---- whether an explicit method would do

static void watch_begin(StiffnessWatch *watch, int n) {
  watch->steps = 0;
  watch->growth = 1;
  watch->h_most = 0;
  for (int i = 0; i < n; i++) watch->v[i] = i % 2 ? -1 : 1 - 0.5 / (i + 1); // no special direction
}

static double multiply(const Pattern *p, const double *J, const double *v, double *product) {
  double most = 0;
  for (int i = 0; i < p->rows; i++) {
    double sum = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) sum += J[e] * v[p->column[e]];
    product[i] = sum;
    if (fabs(sum) > most) most = fabs(sum);
  }
  return most;
}

static bool explicit_would_do(Rosenbrock *w, const Ode *ode, double h) {
  StiffnessWatch *watch = &w->watch;
  double growth = multiply(w->pattern, w->J, watch->v, watch->product);
  for (int i = 0; i < ode->n; i++) watch->v[i] = growth > 0 ? watch->product[i] / growth : 0;
  watch->growth *= growth;
  watch->h_most = fmax(watch->h_most, fabs(h));
  if (++watch->steps < WATCH_STEPS) return false;
  double radius = sqrt(sqrt(sqrt(watch->growth))); // 8 steps
  watch->calm = watch->h_most * radius < WATCH_LIMIT ? watch->calm + 1 : 0;
  watch_begin(watch, ode->n);
  if (watch->calm < WATCH_WINDOWS) return false;
  watch->calm = 0;
  return true;
}

// ---- stepping

static void evaluate(Stepper *s, double t, const double *y, double *dy) {
  s->ode->rhs(s->ode->self, t, y, dy);
  s->count.rhs++;
  s->count.rhs_sens += s->ode->ns > 0;
}

static void start(Stepper *s, double t_end) {
  Rosenbrock *w = s->data;
  evaluate(s, s->t, s->y, w->slope_start);
  w->computable = control_finite(w->slope_start, w->count);
  w->derivatives_ready = false;
  w->fresh = true;
  w->dense_count = 0;
  watch_begin(&w->watch, s->ode->n);
  w->watch.calm = 0;
  control_start(w->control, s, t_end, w->slope_start, w->arg, w->slope);
}

static void moved(Stepper *s) {
  Rosenbrock *w = s->data;
  evaluate(s, s->t, s->y, w->slope_start);
  w->computable = control_finite(w->slope_start, w->count);
  w->derivatives_ready = false;
  w->fresh = true;
}

static bool all_zero(const double *v, int count) {
  for (int i = 0; i < count; i++)
    if (v[i] != 0) return false;
  return true;
}

// J, ft and their derivatives by the parameters at (t, y). False when they are not finite.
static bool prepare_derivatives(Rosenbrock *w, Stepper *s) {
  const Ode *ode = s->ode;
  int entries = pattern_count(w->pattern);
  w->derivatives_ready = true;
  if (ode->n == 0) return true;
  ode->jacobian(ode->self, s->t, s->y, w->J, w->ft);
  if (ode->ns > 0) ode->jacobian_sens(ode->self, s->t, s->y, w->DJ, w->Dft);
  s->count.jacobians++;
  w->time_matters = !all_zero(w->ft, ode->n) || !all_zero(w->Dft, ode->n * ode->stride);
  return control_finite(w->J, entries) && control_finite(w->ft, ode->n) &&
         control_finite(w->DJ, entries * ode->stride) &&
         control_finite(w->Dft, ode->n * ode->stride);
}

// Scaled error of the attempt; infinite when the matrix is singular.
static double attempt_error(Rosenbrock *w, Stepper *s, double h) {
  s->count.factorisations++;
  if (!lu_factor_sparse(w->lu, w->J, -1, 1 / (h * ROS_GAMMA))) return HUGE_VAL;
  w->kernels.stages(w, s, h);
  s->count.rhs += STAGES - 1;
  s->count.rhs_sens += s->ode->ns > 0 ? STAGES - 1 : 0;
  return control_norm(w->control, s, w->u + STAGES * w->ld, w->end);
}

static StepEnd accept(Rosenbrock *w, Stepper *s, Attempt a, double limit, double error) {
  size_t bytes = (size_t)w->count * sizeof *s->y;
  memcpy(s->y_old, s->y, bytes);
  memcpy(s->y, w->end, bytes);
  s->t_old = s->t;
  s->t = a.last ? limit : s->t + a.h;
  double *slope = w->slope_start;
  w->slope_start = w->slope_end;
  w->slope_end = slope;
  w->derivatives_ready = false;
  w->fresh = false;
  w->dense_count = 0;
  control_accept(w->control, s, a, error);
  return explicit_would_do(w, s->ode, a.h) ? STEP_NOT_STIFF : STEP_DONE;
}

// An integration may begin where f has an infinite slope, sqrt(abs(x)) at x = 0: J is then so large that it damps the
// step, its error estimate included, to nothing. The slope at the end of the first step tells: it has hardly changed,
// although J says so.
static bool jacobian_misleads(Rosenbrock *w, const Stepper *s, double h) {
  int n = s->ode->n;
  if (!w->fresh) return false;
  for (int i = 0; i < n; i++) w->arg[i] = w->end[i] - s->y[i];
  multiply(w->pattern, w->J, w->arg, w->right);
  for (int i = 0; i < n; i++) {
    double change = w->slope_end[i] - w->slope_start[i] - h * w->ft[i];
    double allowed = s->tol.abs[i] + s->tol.rel * fabs(w->end[i]);
    if (fabs(change) < 0.1 * fabs(w->right[i]) && fabs(h * w->right[i]) > 10 * allowed) return true;
  }
  return false;
}

static StepEnd step(Stepper *s, double limit) {
  Rosenbrock *w = s->data;
  if (limit == s->t) return STEP_DONE;
  if (!w->computable) return STEP_NOT_COMPUTABLE;
  if (!w->derivatives_ready && !prepare_derivatives(w, s)) {
    w->computable = false; // a smaller step would meet the same numbers
    return STEP_NOT_COMPUTABLE;
  }
  for (;;) {
    if (control_exhausted(s)) return STEP_TOO_MANY;
    Attempt a = control_attempt(w->control, s, limit);
    double error = attempt_error(w, s, a.h);
    const double *broken = isfinite(error) || error == HUGE_VAL ? NULL : w->control->squares;
    if (error <= 1) {
      evaluate(s, a.last ? limit : s->t + a.h, w->end, w->slope_end);
      if (!control_finite(w->slope_end, w->count))
        broken = w->slope_end;
      else if (jacobian_misleads(w, s, a.h))
        error = MISLED;
      else
        return accept(w, s, a, limit, error);
    }
    StepEnd end = control_reject(w->control, s, a, error, broken);
    if (end != STEP_DONE) return end;
  }
}

static void dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  Rosenbrock *w = s->data;
  int count = with_sensitivities ? w->count : s->ode->n;
  if (t == s->t || t == s->t_old) {
    memcpy(y, t == s->t ? s->y : s->y_old, (size_t)count * sizeof *y);
    return;
  }
  if (w->dense_count < count) {
    w->kernels.dense(w, count);
    w->dense_count = count;
  }
  w->kernels.value(w, s, (t - s->t_old) / (s->t - s->t_old), count, y);
}

const StepperRow STEPPER_ROSENBROCK = {
    .name = "rosenbrock",
    .meaning = "Rosenbrock method Rodas5P of order 5, for small stiff systems",
    .order = 5,
    .implicit = true,
    .differentiated = true,
    .init = init,
    .start = start,
    .step = step,
    .moved = moved,
    .dense = dense,
};
