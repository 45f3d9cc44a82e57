// What CVODES and IDAS share behind stepper.h: steps one at a time, dense output, counters, restarts.
#include "simulate/multistep.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/memory.h"
#include "simulate/control.h"

void multistep_init(Multistep *m, Stepper *s, const MultistepLibrary *library) {
  s->data = m;
  m->stepper = s;
  m->library = library;
  m->fresh = m->flat = true;
}

void multistep_made(int flag) {
  if (flag != 0) out_of_memory();
}

void multistep_check(int flag) {
  (void)flag;
  assert(flag == 0 && "SUNDIALS refuses its arguments");
}

int multistep_finite(Multistep *m, const double *values, int count) {
  bool finite = control_finite(values, count);
  if (!finite) m->not_finite = true;
  return finite ? 0 : 1;
}

// ---------------------------------------------------------------- vectors and matrices

// The libraries make copies and write to them without looking whether there was memory.
static N_Vector clone_vector(N_Vector v) {
  return must_have(N_VClone_Serial(v));
}

N_Vector multistep_vector(const Multistep *m, long count) {
  N_Vector v = must_have(N_VNew_Serial(count, m->context));
  v->ops->nvclone = clone_vector; // its copies inherit it
  N_VConst(0, v);
  return v;
}

static N_Vector clone_bundle(N_Vector v) {
  N_Vector copy = must_have(N_VClone_SensWrapper(v));
  copy->ops->nvclone = clone_bundle;
  return copy;
}

N_Vector multistep_bundle(int count, N_Vector like) {
  N_Vector v = must_have(N_VNew_SensWrapper(count, like));
  v->ops->nvclone = clone_bundle;
  return v;
}

static SUNMatrix clone_dense(SUNMatrix A) {
  return must_have(SUNMatClone_Dense(A));
}

static SUNMatrix clone_sparse(SUNMatrix A) {
  return must_have(SUNMatClone_Sparse(A));
}

SUNMatrix multistep_matrix(SUNMatrix made) {
  SUNMatrix A = must_have(made);
  A->ops->clone = SUNMatGetID(A) == SUNMATRIX_SPARSE ? clone_sparse : clone_dense;
  return A;
}

// ---------------------------------------------------------------- columns

N_Vector *multistep_columns(const Multistep *m, Arena *a, int rows) {
  int count = m->stepper->ode->ns;
  N_Vector *columns = ARENA_ARRAY(a, N_Vector, count);
  for (int k = 0; k < count; k++) columns[k] = multistep_vector(m, rows);
  return columns;
}

void multistep_columns_free(N_Vector *columns, int count) {
  for (int k = 0; columns && k < count; k++) N_VDestroy(columns[k]);
}

void multistep_pack(const Multistep *m, N_Vector x, N_Vector *columns, int rows, double *y) {
  const Ode *ode = m->stepper->ode;
  memcpy(y, N_VGetArrayPointer(x), (size_t)rows * sizeof *y);
  double *S = y + rows;
  for (int k = 0; columns && k < ode->ns; k++) {
    const double *column = N_VGetArrayPointer(columns[k]);
    for (int i = 0; i < rows; i++) S[(size_t)i * ode->stride + k] = column[i];
  }
}

void multistep_unpack(const Multistep *m, const double *y, int rows, N_Vector *columns) {
  const Ode *ode = m->stepper->ode;
  const double *S = y + rows;
  for (int k = 0; columns && k < ode->ns; k++) {
    double *column = N_VGetArrayPointer(columns[k]);
    for (int i = 0; i < rows; i++) column[i] = S[(size_t)i * ode->stride + k];
  }
}

// ---------------------------------------------------------------- steps

static void keep_old(Stepper *s) {
  memcpy(s->y_old, s->y, (size_t)control_count(s->ode) * sizeof *s->y);
  s->t_old = s->t;
}

void multistep_start(Stepper *s, double t_end) {
  Multistep *m = s->data;
  m->fresh = m->flat = true;
  m->not_finite = false;
  m->first = s->tol.first_step;
  keep_old(s);
  s->h_next = copysign(s->tol.first_step, t_end - s->t);
}

// No states, or a step below rounding: only the time changes.
static StepEnd skip_to(Multistep *m, double limit) {
  keep_old(m->stepper);
  m->stepper->t = limit;
  m->stepper->count.steps++;
  m->fresh = m->flat = true;
  m->first = m->stepper->tol.first_step;
  return STEP_DONE;
}

static void accept(Multistep *m, double t) {
  keep_old(m->stepper);
  m->stepper->t = t;
  m->stepper->count.steps++;
  m->flat = false;
  m->library->accept(m);
}

// Adds what this step has cost, and notes what limited it.
static void count_step(Multistep *m) {
  StepCount *sum = &m->stepper->count;
  Tally now = m->library->tally(m);
  sum->rejected += now.rejected - m->counted.rejected;
  sum->jacobians += now.jacobians - m->counted.jacobians;
  sum->factorisations += now.factorisations - m->counted.factorisations;
  m->library->find_worst(m, &now);
  m->counted = now;
}

static bool begin(Multistep *m, double limit) {
  if (!m->fresh) return true;
  if (!m->library->begin(m, limit)) return false;
  m->counted = (Tally){0};
  m->fresh = false;
  return true;
}

StepEnd multistep_step(Stepper *s, double limit) {
  Multistep *m = s->data;
  if (s->count.steps + s->count.rejected >= s->tol.max_steps) return STEP_TOO_MANY;
  double rounding = 8 * DBL_EPSILON * fmax(fabs(s->t), fabs(limit));
  if (s->ode->n == 0 || fabs(limit - s->t) <= rounding) return skip_to(m, limit);
  if (!begin(m, limit)) return STEP_NOT_COMPUTABLE;
  double t = s->t;
  bool not_finite_before = m->not_finite;
  m->not_finite = false;
  StepEnd end = m->library->advance(m, limit, &t);
  if (end == STEP_DONE && t == s->t) // shrunk to rounding, perhaps by the step before
    end = m->not_finite || not_finite_before ? STEP_NOT_COMPUTABLE : STEP_TOO_SMALL;
  if (end == STEP_DONE)
    accept(m, t);
  else
    m->fresh = true;
  count_step(m);
  return end;
}

void multistep_dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  Multistep *m = s->data;
  const double *known = t == s->t_old ? s->y_old : s->y;
  int size = with_sensitivities ? control_count(s->ode) : s->ode->n;
  if (m->flat || t == s->t || t == s->t_old)
    memcpy(y, known, (size_t)size * sizeof *y);
  else
    m->library->interpolate(m, t, with_sensitivities && s->ode->ns > 0, y);
}
