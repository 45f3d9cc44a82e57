// IDAS of SUNDIALS (Hindmarsh et al. 2005, ACM TOMS 31:363): backward differentiation formulas of variable order for 0
// = F(t, z, dz/dt), sensitivities column by column (staggered corrector).
#include "simulate/direct.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "base/memory.h"
#include "num/vec.h"
#include "simulate/control.h"
#include "simulate/multistep.h"

static const double ABS_MOST = 1e100; // of unknowns that nothing waits for
// What Newton's iteration may leave, in units of the tolerance. The 0.33 of IDAS takes a fifth more steps (measured on
// pendulums), because its errors enter the error estimate; divided by the step they are those of velocities.
static const double NEWTON_ENDS = 0.01;
static const double NEWTON_RATE_MOST = 0.9; // of convergence, as in IDAS
static const double NEWTON_ROUNDING = 0.33; // in units of the tolerance

typedef struct Direct {
  Multistep base;
  const Dae *dae;
  void *ida;
  N_Vector z, dz, abs, id;
  N_Vector *sens, *dsens, *abs_sens; // columns of S
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver newton, newton_sens;
  double first_correction;      // of the iteration that is under way
  double *packed, *dpacked, *F; // z, dz/dt, F with their columns behind, as the dae has them
  double *J;                    // values of the pattern
} Direct;

static const MultistepLibrary IDAS;

// ---- called by IDAS; a positive return makes it try a smaller step

static int residual(sunrealtype t, N_Vector z, N_Vector dz, N_Vector F, void *self) {
  Direct *d = self;
  double *out = N_VGetArrayPointer(F);
  d->base.stepper->count.rhs++;
  d->dae->residual(d->dae->self, t, N_VGetArrayPointer(z), N_VGetArrayPointer(dz), out);
  return multistep_finite(&d->base, out, d->dae->m);
}

static int columns_residual(int ns, sunrealtype t, N_Vector z, N_Vector dz, N_Vector F,
                            N_Vector *columns, N_Vector *dcolumns, N_Vector *out, void *self,
                            N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  (void)ns, (void)F, (void)scratch1, (void)scratch2, (void)scratch3;
  Direct *d = self;
  int m = d->dae->m;
  d->base.stepper->count.rhs++;
  d->base.stepper->count.rhs_sens++;
  multistep_pack(&d->base, z, columns, m, d->packed);
  multistep_pack(&d->base, dz, dcolumns, m, d->dpacked);
  d->dae->residual_sens(d->dae->self, t, d->packed, d->dpacked, d->F);
  multistep_unpack(&d->base, d->F, m, out);
  return multistep_finite(&d->base, d->F, m * (1 + d->base.stepper->ode->stride));
}

static int pattern_jacobian(Direct *d, double t, double c, N_Vector z, N_Vector dz) {
  const Dae *dae = d->dae;
  dae->jacobian(dae->self, t, N_VGetArrayPointer(z), N_VGetArrayPointer(dz), c, d->J);
  return multistep_finite(&d->base, d->J, pattern_count(dae->pattern));
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
  return multistep_vector(&d->base, d->dae->m);
}

static void make_linear_solver(Direct *d, Arena *a) {
  const Pattern *p = d->dae->pattern;
  long m = d->dae->m, count = pattern_count(p);
  bool sparse = m >= MULTISTEP_SPARSE_FROM && count <= m * m / 3;
  d->J = ARENA_ARRAY(a, double, count + 1);
  if (sparse) {
    d->matrix = multistep_matrix(SUNSparseMatrix(m, m, count, CSR_MAT, d->base.context));
    d->linear = must_have(SUNLinSol_KLU(d->z, d->matrix, d->base.context));
  } else {
    d->matrix = multistep_matrix(SUNDenseMatrix(m, m, d->base.context));
    d->linear = must_have(SUNLinSol_Dense(d->z, d->matrix, d->base.context));
  }
  multistep_made(IDASetLinearSolver(d->ida, d->linear, d->matrix));
  multistep_made(IDASetJacFn(d->ida, sparse ? sparse_jacobian : dense_jacobian));
}

// The test of IDAS, but for one thing: that remembers a rate of convergence from earlier steps and often ends after one
// correction. With an old matrix the constraints would then hold no better than the tolerance.
static int has_converged(SUNNonlinearSolver newton, N_Vector z, N_Vector correction,
                         sunrealtype end, N_Vector weight, void *self) {
  (void)z;
  Direct *d = self;
  int corrections = 0;
  double size = N_VWrmsNorm(correction, weight);
  multistep_check(SUNNonlinSolGetCurIter(newton, &corrections));
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
  d->newton = must_have(SUNNonlinSol_Newton(d->z, d->base.context));
  multistep_made(IDASetNonlinearSolver(d->ida, d->newton));
  multistep_check(SUNNonlinSolSetConvTestFn(d->newton, has_converged, d));
}

static void make_sensitivities(Direct *d, Arena *a) {
  int ns = d->base.stepper->ode->ns;
  if (ns == 0) return;
  d->sens = multistep_columns(&d->base, a, d->dae->m);
  d->dsens = multistep_columns(&d->base, a, d->dae->m);
  d->abs_sens = multistep_columns(&d->base, a, d->dae->m);
  multistep_made(IDASensInit(d->ida, ns, IDA_STAGGERED, columns_residual, d->sens, d->dsens));
  multistep_made(IDASetSensErrCon(d->ida, SUNTRUE));
  N_Vector bundle = multistep_bundle(ns, d->z);
  d->newton_sens = must_have(SUNNonlinSol_Newton(bundle, d->base.context));
  N_VDestroy(bundle);
  multistep_made(IDASetNonlinearSolverSensStg(d->ida, d->newton_sens));
  multistep_check(SUNNonlinSolSetConvTestFn(d->newton_sens, has_converged, d));
}

static void leave_out_untested(Direct *d) {
  for (int i = 0; i < d->dae->m; i++) N_VGetArrayPointer(d->id)[i] = d->dae->tested[i];
  multistep_made(IDASetId(d->ida, d->id));
  multistep_made(IDASetSuppressAlg(d->ida, SUNTRUE));
}

static void set_limits(Direct *d) {
  multistep_check(IDASetMaxErrTestFails(d->ida, MULTISTEP_ERROR_FAILS));
  multistep_check(IDASetMaxConvFails(d->ida, MULTISTEP_SOLVER_FAILS));
  multistep_check(IDASetNonlinConvCoef(d->ida, NEWTON_ENDS));
}

static void direct_init(Stepper *s, Arena *a) {
  const Ode *ode = s->ode;
  assert(ode->lanes == 1 && ode->dae && ode->dae->m >= ode->n);
  Direct *d = ARENA_NEW(a, Direct);
  multistep_init(&d->base, s, &IDAS);
  d->dae = ode->dae;
  if (ode->n == 0) return;
  int size = vec_padded(d->dae->m * (1 + ode->stride));
  d->packed = ARENA_ARRAY(a, double, size);
  d->dpacked = ARENA_ARRAY(a, double, size);
  d->F = ARENA_ARRAY(a, double, size);
  multistep_made(SUNContext_Create(NULL, &d->base.context));
  d->z = vector_new(d);
  d->dz = vector_new(d);
  d->abs = vector_new(d);
  d->id = vector_new(d);
  d->ida = must_have(IDACreate(d->base.context));
  multistep_made(IDASetErrFile(d->ida, NULL));
  multistep_made(IDAInit(d->ida, residual, 0, d->z, d->dz));
  multistep_made(IDASetUserData(d->ida, d));
  make_newton(d);
  make_linear_solver(d, a);
  make_sensitivities(d, a);
  leave_out_untested(d);
  set_limits(d);
}

static void direct_done(Stepper *s) {
  Direct *d = s->data;
  if (!d || !d->ida) return;
  IDAFree(&d->ida);
  SUNNonlinSolFree(d->newton);
  if (d->newton_sens) SUNNonlinSolFree(d->newton_sens);
  SUNLinSolFree(d->linear);
  SUNMatDestroy(d->matrix);
  multistep_columns_free(d->sens, s->ode->ns);
  multistep_columns_free(d->dsens, s->ode->ns);
  multistep_columns_free(d->abs_sens, s->ode->ns);
  N_VDestroy(d->z);
  N_VDestroy(d->dz);
  N_VDestroy(d->abs);
  N_VDestroy(d->id);
  SUNContext_Free(&d->base.context);
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
  const Stepper *s = d->base.stepper;
  const double *nominal = d->dae->nominal;
  int n = s->ode->n, state = i < n ? i : first_sized(d->dae);
  if (nominal[i] == 0 || state >= n) return ABS_MOST;
  double abs = s->tol.abs[column < 0 ? state : n + state * s->ode->stride + column];
  return fmax(abs * (i < n ? 1 : nominal[i] / nominal[state]), MULTISTEP_ABS_LEAST);
}

static void set_tolerances(Direct *d) {
  const Stepper *s = d->base.stepper;
  double factor = norm_factor(d->dae);
  for (int k = -1; k < s->ode->ns; k++) {
    double *abs = N_VGetArrayPointer(k < 0 ? d->abs : d->abs_sens[k]);
    for (int i = 0; i < d->dae->m; i++) abs[i] = factor * abs_tolerance(d, i, k);
  }
  multistep_made(IDASVtolerances(d->ida, factor * s->tol.rel, d->abs));
  if (d->sens) multistep_made(IDASensSVtolerances(d->ida, factor * s->tol.rel, d->abs_sens));
}

static void put(const Direct *d, const double *packed, N_Vector z, N_Vector *columns) {
  memcpy(N_VGetArrayPointer(z), packed, (size_t)d->dae->m * sizeof *packed);
  multistep_unpack(&d->base, packed, d->dae->m, columns);
}

static bool begin(Multistep *m, double limit) {
  Direct *d = (Direct *)m;
  const Stepper *s = m->stepper;
  int size = d->dae->m * (1 + s->ode->stride);
  d->dae->begin(d->dae->self, s->t, s->y, d->packed, d->dpacked);
  if (!control_finite(d->packed, size) || !control_finite(d->dpacked, size)) return false;
  put(d, d->packed, d->z, d->sens);
  put(d, d->dpacked, d->dz, d->dsens);
  multistep_check(IDAReInit(d->ida, s->t, d->z, d->dz));
  if (d->sens) multistep_check(IDASensReInit(d->ida, IDA_STAGGERED, d->sens, d->dsens));
  set_tolerances(d);
  multistep_check(IDASetMaxStep(d->ida, s->tol.max_step));
  multistep_check(IDASetInitStep(d->ida, copysign(m->first, limit - s->t)));
  return true;
}

// ---- one step

static Tally take_tally(Multistep *m) {
  Direct *d = (Direct *)m;
  void *ida = d->ida;
  Tally now = {0};
  long solver_fails = 0, sens_error_fails = 0, sens_solver_fails = 0, more = 0;
  IDAGetNumErrTestFails(ida, &now.error_fails);
  IDAGetNumStepSolveFails(ida, &solver_fails);
  IDAGetNumLinSolvSetups(ida, &now.factorisations);
  IDAGetNumJacEvals(ida, &now.jacobians);
  if (d->sens) {
    IDAGetSensNumErrTestFails(ida, &sens_error_fails);
    IDAGetNumStepSensSolveFails(ida, &sens_solver_fails);
    IDAGetSensNumLinSolvSetups(ida, &more);
    now.factorisations += more;
  }
  now.rejected = now.error_fails + solver_fails + sens_error_fails + sens_solver_fails;
  return now;
}

static void find_worst(Multistep *m, const Tally *now) {
  Direct *d = (Direct *)m;
  Stepper *s = m->stepper;
  if (now->error_fails <= m->counted.error_fails) return;
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

static StepEnd step_end(int flag, bool not_finite) {
  if (flag == IDA_SUCCESS || flag == IDA_TSTOP_RETURN) return STEP_DONE;
  assert(flag != IDA_ILL_INPUT && flag != IDA_MEM_NULL && flag != IDA_NO_MALLOC);
  return not_finite ? STEP_NOT_COMPUTABLE : STEP_TOO_SMALL;
}

static StepEnd advance(Multistep *m, double limit, double *t) {
  Direct *d = (Direct *)m;
  multistep_check(IDASetStopTime(d->ida, limit));
  errno = 0;
  int flag = IDASolve(d->ida, limit, t, d->z, d->dz, IDA_ONE_STEP);
  if (flag < 0) memory_check_errno(); // KLU says no more than that it failed
  return step_end(flag, m->not_finite);
}

static void accept(Multistep *m) {
  Direct *d = (Direct *)m;
  Stepper *s = m->stepper;
  if (d->sens) multistep_check(IDAGetSensDky(d->ida, s->t, 0, d->sens));
  multistep_pack(m, d->z, d->sens, s->ode->n, s->y);
  IDAGetCurrentStep(d->ida, &s->h_next);
}

static void interpolate(Multistep *m, double t, bool columns, double *y) {
  Direct *d = (Direct *)m;
  multistep_check(IDAGetDky(d->ida, t, 0, d->z));
  if (columns) multistep_check(IDAGetSensDky(d->ida, t, 0, d->sens));
  multistep_pack(m, d->z, columns ? d->sens : NULL, m->stepper->ode->n, y);
}

static const MultistepLibrary IDAS = {begin, advance, accept, interpolate, take_tally, find_worst};

const StepperRow STEPPER_IDA_GGL = {
    .name = "ida-ggl",
    .meaning = "backward differentiation (IDAS) of the motion with its invariants, index 2",
    .init = direct_init,
    .done = direct_done,
    .start = multistep_start,
    .step = multistep_step,
    .dense = multistep_dense,
};

const StepperRow STEPPER_IDA_INDEX3 = {
    .name = "ida-index3",
    .meaning = "backward differentiation (IDAS) of the equations as typed",
    .init = direct_init,
    .done = direct_done,
    .start = multistep_start,
    .step = multistep_step,
    .dense = multistep_dense,
};
