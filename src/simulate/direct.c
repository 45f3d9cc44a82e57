#include "simulate/direct.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "num/vec.h"

// By hand: sunlinsol_klu.h wants klu.h, which Debian keeps off the include path.
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix A, SUNContext context);

enum {
  SPARSE_FROM = 20,       // unknowns, as in stiff.c
  ERROR_FAILS_MOST = 20,  // in one step; IDAS itself gives up after 10
  SOLVER_FAILS_MOST = 35, // each divides the step by 4: enough to shrink it to rounding
};

static const double ABS_LEAST =
    1e-100; // IDAS needs positive weights, and their squares must be finite
static const double ABS_MOST = 1e100; // of unknowns that nothing waits for
// What Newton's iteration may leave, in units of the tolerance. The 0.33 of IDAS takes a fifth more steps (measured on
// pendulums), because its errors enter the error estimate; divided by the step they are those of velocities.
static const double NEWTON_ENDS = 0.01;
static const double NEWTON_RATE_MOST = 0.9; // of convergence, as in IDAS
static const double NEWTON_ROUNDING = 0.33; // in units of the tolerance

// What IDAS has counted since it was last initialised.
typedef struct Tally {
  long rejected, jacobians, factorisations, error_fails;
} Tally;

typedef struct Direct {
  Stepper *stepper;
  const Dae *dae;
  SUNContext context;
  void *ida;
  N_Vector z, dz, abs, id;
  N_Vector *sens, *dsens, *abs_sens; // columns of S
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver newton, newton_sens;
  double first_correction;      // of the iteration that is under way
  double *packed, *dpacked, *F; // z, dz/dt, F with their columns behind, as the dae has them
  double *J;                    // values of the pattern
  Tally tally;
  bool fresh;      // IDAS begins anew at the next step
  bool flat;       // the last step has no inside
  bool not_finite; // some evaluation of this step was not
} Direct;

static void *must(void *made) {
  assert(made && "IDAS is out of memory");
  return made;
}

static void check(int flag) {
  (void)flag;
  assert(flag == IDA_SUCCESS && "IDAS refuses its arguments");
}

static bool all_finite(const double *x, size_t n) {
  double sum = 0; // 0 * x is NaN exactly where x is not finite
  for (size_t i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

// ---- between columns of IDAS and rows of ours

// The first `rows` unknowns with their columns.
static void pack(const Direct *d, N_Vector z, N_Vector *columns, int rows, double *y) {
  const Ode *ode = d->stepper->ode;
  memcpy(y, N_VGetArrayPointer(z), (size_t)rows * sizeof *y);
  double *S = y + rows;
  for (int k = 0; columns && k < ode->ns; k++) {
    const double *column = N_VGetArrayPointer(columns[k]);
    for (int i = 0; i < rows; i++) S[(size_t)i * ode->stride + k] = column[i];
  }
}

static void unpack_columns(const Direct *d, const double *packed, N_Vector *columns) {
  const Ode *ode = d->stepper->ode;
  const double *S = packed + d->dae->m;
  for (int k = 0; columns && k < ode->ns; k++) {
    double *column = N_VGetArrayPointer(columns[k]);
    for (int i = 0; i < d->dae->m; i++) column[i] = S[(size_t)i * ode->stride + k];
  }
}

static void unpack(const Direct *d, const double *packed, N_Vector z, N_Vector *columns) {
  memcpy(N_VGetArrayPointer(z), packed, (size_t)d->dae->m * sizeof *packed);
  unpack_columns(d, packed, columns);
}

// ---- called by IDAS; a positive return makes it try a smaller step

static int finite_or_retry(Direct *d, const double *values, size_t n) {
  bool finite = all_finite(values, n);
  if (!finite) d->not_finite = true;
  return finite ? 0 : 1;
}

static int residual(sunrealtype t, N_Vector z, N_Vector dz, N_Vector F, void *self) {
  Direct *d = self;
  double *out = N_VGetArrayPointer(F);
  d->stepper->count.rhs++;
  d->dae->residual(d->dae->self, t, N_VGetArrayPointer(z), N_VGetArrayPointer(dz), out);
  return finite_or_retry(d, out, (size_t)d->dae->m);
}

static int columns_residual(int ns, sunrealtype t, N_Vector z, N_Vector dz, N_Vector F,
                            N_Vector *columns, N_Vector *dcolumns, N_Vector *out, void *self,
                            N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  (void)ns, (void)F, (void)scratch1, (void)scratch2, (void)scratch3;
  Direct *d = self;
  int m = d->dae->m;
  d->stepper->count.rhs++;
  d->stepper->count.rhs_sens++;
  pack(d, z, columns, m, d->packed);
  pack(d, dz, dcolumns, m, d->dpacked);
  d->dae->residual_sens(d->dae->self, t, d->packed, d->dpacked, d->F);
  unpack_columns(d, d->F, out);
  return finite_or_retry(d, d->F, (size_t)m * (size_t)(1 + d->stepper->ode->stride));
}

static int pattern_jacobian(Direct *d, double t, double c, N_Vector z, N_Vector dz) {
  const Dae *dae = d->dae;
  dae->jacobian(dae->self, t, N_VGetArrayPointer(z), N_VGetArrayPointer(dz), c, d->J);
  return finite_or_retry(d, d->J, (size_t)pattern_count(dae->pattern));
}

static int dense_jacobian(sunrealtype t, sunrealtype c, N_Vector z, N_Vector dz, N_Vector F,
                          SUNMatrix M, void *self, N_Vector scratch1, N_Vector scratch2,
                          N_Vector scratch3) {
  (void)F, (void)scratch1, (void)scratch2, (void)scratch3;
  Direct *d = self;
  const Pattern *p = d->dae->pattern;
  int status = pattern_jacobian(d, t, c, z, dz);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) SM_ELEMENT_D(M, i, p->column[e]) = d->J[e];
  return status;
}

// IDAS empties the matrix before each call, the pattern with the values.
static int sparse_jacobian(sunrealtype t, sunrealtype c, N_Vector z, N_Vector dz, N_Vector F,
                           SUNMatrix M, void *self, N_Vector scratch1, N_Vector scratch2,
                           N_Vector scratch3) {
  (void)F, (void)scratch1, (void)scratch2, (void)scratch3;
  Direct *d = self;
  const Pattern *p = d->dae->pattern;
  int status = pattern_jacobian(d, t, c, z, dz);
  for (int i = 0; i <= p->rows; i++) SM_INDEXPTRS_S(M)[i] = p->start[i];
  for (int e = 0; e < pattern_count(p); e++) SM_INDEXVALS_S(M)[e] = p->column[e];
  memcpy(SM_DATA_S(M), d->J, (size_t)pattern_count(p) * sizeof(double));
  return status;
}

// ---- set up

static N_Vector vector_new(Direct *d) {
  N_Vector v = must(N_VNew_Serial(d->dae->m, d->context));
  N_VConst(0, v);
  return v;
}

static N_Vector *columns_new(Direct *d, Arena *a) {
  int count = d->stepper->ode->ns;
  N_Vector *columns = ARENA_ARRAY(a, N_Vector, count);
  for (int k = 0; k < count; k++) columns[k] = vector_new(d);
  return columns;
}

static void make_linear_solver(Direct *d, Arena *a) {
  const Pattern *p = d->dae->pattern;
  long m = d->dae->m, count = pattern_count(p);
  bool sparse = m >= SPARSE_FROM && count <= m * m / 3;
  d->J = ARENA_ARRAY(a, double, count + 1);
  if (sparse) {
    d->matrix = must(SUNSparseMatrix(m, m, count, CSR_MAT, d->context));
    d->linear = must(SUNLinSol_KLU(d->z, d->matrix, d->context));
  } else {
    d->matrix = must(SUNDenseMatrix(m, m, d->context));
    d->linear = must(SUNLinSol_Dense(d->z, d->matrix, d->context));
  }
  check(IDASetLinearSolver(d->ida, d->linear, d->matrix));
  check(IDASetJacFn(d->ida, sparse ? sparse_jacobian : dense_jacobian));
}

// The test of IDAS, but for one thing: that remembers a rate of convergence from earlier steps and often ends after one
// correction. With an old matrix the constraints would then hold no better than the tolerance.
static int has_converged(SUNNonlinearSolver newton, N_Vector z, N_Vector correction,
                         sunrealtype end, N_Vector weight, void *self) {
  (void)z;
  Direct *d = self;
  int corrections = 0;
  double size = N_VWrmsNorm(correction, weight);
  check(SUNNonlinSolGetCurIter(newton, &corrections));
  if (corrections == 0) {
    d->first_correction = size;
    return size <= 1e-4 * end ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
  }
  double rate = pow(size / d->first_correction, 1.0 / corrections);
  if (!(rate <=
        NEWTON_RATE_MOST)) // below the tolerance it is rounding that keeps it from converging
    return size <= NEWTON_ROUNDING ? SUN_NLS_SUCCESS : SUN_NLS_CONV_RECVR;
  return rate / (1 - rate) * size <= end ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

static void make_newton(Direct *d) {
  d->newton = must(SUNNonlinSol_Newton(d->z, d->context));
  check(IDASetNonlinearSolver(d->ida, d->newton));
  check(SUNNonlinSolSetConvTestFn(d->newton, has_converged, d));
}

static void make_sensitivities(Direct *d, Arena *a) {
  int ns = d->stepper->ode->ns;
  if (ns == 0) return;
  d->sens = columns_new(d, a);
  d->dsens = columns_new(d, a);
  d->abs_sens = columns_new(d, a);
  check(IDASensInit(d->ida, ns, IDA_STAGGERED, columns_residual, d->sens, d->dsens));
  check(IDASetSensErrCon(d->ida, SUNTRUE));
  d->newton_sens = must(SUNNonlinSol_NewtonSens(ns, d->z, d->context));
  check(IDASetNonlinearSolverSensStg(d->ida, d->newton_sens));
  check(SUNNonlinSolSetConvTestFn(d->newton_sens, has_converged, d));
}

static void leave_out_untested(Direct *d) {
  for (int i = 0; i < d->dae->m; i++) N_VGetArrayPointer(d->id)[i] = d->dae->tested[i];
  check(IDASetId(d->ida, d->id));
  check(IDASetSuppressAlg(d->ida, SUNTRUE));
}

static void set_limits(Direct *d) {
  check(IDASetMaxErrTestFails(d->ida, ERROR_FAILS_MOST));
  check(IDASetMaxConvFails(d->ida, SOLVER_FAILS_MOST));
  check(IDASetNonlinConvCoef(d->ida, NEWTON_ENDS));
}

static void direct_init(Stepper *s, Arena *a) {
  const Ode *ode = s->ode;
  assert(ode->lanes == 1 && ode->dae && ode->dae->m >= ode->n);
  Direct *d = ARENA_NEW(a, Direct);
  s->data = d;
  d->stepper = s;
  d->dae = ode->dae;
  d->fresh = d->flat = true;
  if (ode->n == 0) return;
  int size = vec_padded(d->dae->m * (1 + ode->stride));
  d->packed = ARENA_ARRAY(a, double, size);
  d->dpacked = ARENA_ARRAY(a, double, size);
  d->F = ARENA_ARRAY(a, double, size);
  int flag = SUNContext_Create(NULL, &d->context);
  check(flag);
  d->z = vector_new(d);
  d->dz = vector_new(d);
  d->abs = vector_new(d);
  d->id = vector_new(d);
  d->ida = must(IDACreate(d->context));
  check(IDASetErrFile(d->ida, NULL));
  check(IDAInit(d->ida, residual, 0, d->z, d->dz));
  check(IDASetUserData(d->ida, d));
  make_newton(d);
  make_linear_solver(d, a);
  make_sensitivities(d, a);
  leave_out_untested(d);
  set_limits(d);
}

static void columns_destroy(N_Vector *columns, int count) {
  for (int k = 0; columns && k < count; k++) N_VDestroy(columns[k]);
}

static void direct_done(Stepper *s) {
  Direct *d = s->data;
  if (!d || !d->ida) return;
  IDAFree(&d->ida);
  SUNNonlinSolFree(d->newton);
  if (d->newton_sens) SUNNonlinSolFree(d->newton_sens);
  SUNLinSolFree(d->linear);
  SUNMatDestroy(d->matrix);
  columns_destroy(d->sens, s->ode->ns);
  columns_destroy(d->dsens, s->ode->ns);
  columns_destroy(d->abs_sens, s->ode->ns);
  N_VDestroy(d->z);
  N_VDestroy(d->dz);
  N_VDestroy(d->abs);
  N_VDestroy(d->id);
  SUNContext_Free(&d->context);
}

// ---- begin

// Norms of IDAS are root mean squares over all unknowns, also over those that are not in the error test.
static double norm_factor(const Dae *dae) {
  int tested = 0;
  for (int i = 0; i < dae->m; i++) tested += dae->tested[i];
  return tested ? sqrt((double)tested / dae->m) : 1;
}

static int first_sized(const Dae *dae) {
  int i = 0;
  while (i + 1 < dae->m && dae->nominal[i] == 0) i++;
  return i;
}

// Of unknown i: as asked for, or by its size from that of a state. column -1: of itself.
static double abs_tolerance(const Direct *d, int i, int column) {
  const Stepper *s = d->stepper;
  const double *nominal = d->dae->nominal;
  int n = s->ode->n, state = i < n ? i : first_sized(d->dae);
  if (nominal[i] == 0 || state >= n) return ABS_MOST;
  double abs = s->tol.abs[column < 0 ? state : n + state * s->ode->stride + column];
  return fmax(abs * (i < n ? 1 : nominal[i] / nominal[state]), ABS_LEAST);
}

static void set_tolerances(Direct *d) {
  const Stepper *s = d->stepper;
  double factor = norm_factor(d->dae);
  for (int k = -1; k < s->ode->ns; k++) {
    double *abs = N_VGetArrayPointer(k < 0 ? d->abs : d->abs_sens[k]);
    for (int i = 0; i < d->dae->m; i++) abs[i] = factor * abs_tolerance(d, i, k);
  }
  check(IDASVtolerances(d->ida, factor * s->tol.rel, d->abs));
  if (d->sens) check(IDASensSVtolerances(d->ida, factor * s->tol.rel, d->abs_sens));
}

static bool begin(Direct *d, double limit) {
  const Stepper *s = d->stepper;
  size_t size = (size_t)d->dae->m * (size_t)(1 + s->ode->stride);
  d->dae->begin(d->dae->self, s->t, s->y, d->packed, d->dpacked);
  if (!all_finite(d->packed, size) || !all_finite(d->dpacked, size)) return false;
  unpack(d, d->packed, d->z, d->sens);
  unpack(d, d->dpacked, d->dz, d->dsens);
  check(IDAReInit(d->ida, s->t, d->z, d->dz));
  if (d->sens) check(IDASensReInit(d->ida, IDA_STAGGERED, d->sens, d->dsens));
  set_tolerances(d);
  check(IDASetMaxStep(d->ida, s->tol.max_step));
  check(IDASetInitStep(d->ida, copysign(s->tol.first_step, limit - s->t)));
  d->tally = (Tally){0};
  d->fresh = false;
  return true;
}

static void direct_start(Stepper *s, double t_end) {
  Direct *d = s->data;
  d->fresh = d->flat = true;
  d->not_finite = false;
  s->t_old = s->t;
  memcpy(s->y_old, s->y, (size_t)s->ode->n * (size_t)(1 + s->ode->stride) * sizeof *s->y);
  s->h_next = copysign(s->tol.first_step, t_end - s->t);
}

// ---- one step

static Tally take_tally(void *ida, bool sens) {
  Tally now = {0};
  long solver_fails = 0, sens_error_fails = 0, sens_solver_fails = 0, more = 0;
  IDAGetNumErrTestFails(ida, &now.error_fails);
  IDAGetNumStepSolveFails(ida, &solver_fails);
  IDAGetNumLinSolvSetups(ida, &now.factorisations);
  IDAGetNumJacEvals(ida, &now.jacobians);
  if (sens) {
    IDAGetSensNumErrTestFails(ida, &sens_error_fails);
    IDAGetNumStepSensSolveFails(ida, &sens_solver_fails);
    IDAGetSensNumLinSolvSetups(ida, &more);
    now.factorisations += more;
  }
  now.rejected = now.error_fails + solver_fails + sens_error_fails + sens_solver_fails;
  return now;
}

static void find_worst_state(Direct *d) {
  Stepper *s = d->stepper;
  double largest = 0;
  IDAGetErrWeights(d->ida, d->z);
  IDAGetEstLocalErrors(d->ida, d->dz);
  for (int i = 0; i < s->ode->n; i++) {
    double scaled = fabs(N_VGetArrayPointer(d->z)[i] * N_VGetArrayPointer(d->dz)[i]);
    if (!d->dae->tested[i] || !(scaled > largest)) continue;
    largest = scaled;
    s->worst = i;
  }
  s->last_error = fmax(largest, 1);
}

// Adds what this step has cost, and notes what limited it.
static void count_step(Direct *d) {
  Stepper *s = d->stepper;
  Tally now = take_tally(d->ida, d->sens);
  s->count.rejected += now.rejected - d->tally.rejected;
  s->count.jacobians += now.jacobians - d->tally.jacobians;
  s->count.factorisations += now.factorisations - d->tally.factorisations;
  if (now.error_fails > d->tally.error_fails) find_worst_state(d);
  d->tally = now;
}

static StepEnd step_end(int flag, bool not_finite) {
  if (flag == IDA_SUCCESS || flag == IDA_TSTOP_RETURN) return STEP_DONE;
  assert(flag != IDA_ILL_INPUT && flag != IDA_MEM_NULL && flag != IDA_NO_MALLOC);
  return not_finite ? STEP_NOT_COMPUTABLE : STEP_TOO_SMALL;
}

static void accept(Direct *d, double t) {
  Stepper *s = d->stepper;
  size_t size = (size_t)s->ode->n * (size_t)(1 + s->ode->stride);
  memcpy(s->y_old, s->y, size * sizeof *s->y);
  s->t_old = s->t;
  s->t = t;
  s->count.steps++;
  d->flat = false;
  if (d->sens) check(IDAGetSensDky(d->ida, t, 0, d->sens));
  pack(d, d->z, d->sens, s->ode->n, s->y);
  IDAGetCurrentStep(d->ida, &s->h_next);
}

// No states, or nothing that rounding would not swallow: only the time moves.
static StepEnd skip_to(Stepper *s, double limit) {
  Direct *d = s->data;
  memcpy(s->y_old, s->y, (size_t)s->ode->n * (size_t)(1 + s->ode->stride) * sizeof *s->y);
  s->t_old = s->t;
  s->t = limit;
  s->count.steps++;
  d->fresh = d->flat = true;
  return STEP_DONE;
}

static StepEnd direct_step(Stepper *s, double limit) {
  Direct *d = s->data;
  if (s->count.steps + s->count.rejected >= s->tol.max_steps) return STEP_TOO_MANY;
  double rounding = 8 * DBL_EPSILON * fmax(fabs(s->t), fabs(limit));
  if (s->ode->n == 0 || fabs(limit - s->t) <= rounding) return skip_to(s, limit);

  if (d->fresh && !begin(d, limit)) return STEP_NOT_COMPUTABLE;
  check(IDASetStopTime(d->ida, limit));
  double t = s->t;
  bool not_finite_before = d->not_finite;
  d->not_finite = false;
  int flag = IDASolve(d->ida, limit, &t, d->z, d->dz, IDA_ONE_STEP);
  StepEnd end = step_end(flag, d->not_finite);
  if (end == STEP_DONE && t == s->t) // shrunk to rounding, perhaps by the step before
    end = d->not_finite || not_finite_before ? STEP_NOT_COMPUTABLE : STEP_TOO_SMALL;
  if (end == STEP_DONE)
    accept(d, t);
  else
    d->fresh = true;
  count_step(d);
  return end;
}

static void direct_dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  Direct *d = s->data;
  const double *known = t == s->t_old ? s->y_old : s->y;
  size_t n = (size_t)s->ode->n, size = with_sensitivities ? n * (size_t)(1 + s->ode->stride) : n;
  if (d->flat || t == s->t || t == s->t_old) {
    memcpy(y, known, size * sizeof *y);
    return;
  }
  bool columns = with_sensitivities && d->sens;
  check(IDAGetDky(d->ida, t, 0, d->z));
  if (columns) check(IDAGetSensDky(d->ida, t, 0, d->sens));
  pack(d, d->z, columns ? d->sens : NULL, s->ode->n, y);
}

const StepperRow STEPPER_IDA_GGL = {
    .name = "ida-ggl",
    .meaning = "backward differentiation (IDAS) of the motion with its invariants, index 2",
    .init = direct_init,
    .done = direct_done,
    .start = direct_start,
    .step = direct_step,
    .dense = direct_dense,
};

const StepperRow STEPPER_IDA_INDEX3 = {
    .name = "ida-index3",
    .meaning = "backward differentiation (IDAS) of the equations as typed",
    .init = direct_init,
    .done = direct_done,
    .start = direct_start,
    .step = direct_step,
    .dense = direct_dense,
};
