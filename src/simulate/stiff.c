// CVODES of SUNDIALS (Hindmarsh et al. 2005, ACM TOMS 31:363): backward differentiation formulas with Newton's
// iteration, Adams methods with fixed-point iteration, both of variable order; sensitivities column by column
// (staggered corrector).
#include "simulate/stiff.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/memory.h"
#include "num/vec.h"
#include "simulate/multistep.h"

typedef struct Stiff {
  Multistep base;
  void *cvodes;
  N_Vector x, abs;           // states
  N_Vector *sens, *abs_sens; // columns of S
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear, nonlinear_sens; // Adams only; NULL: those of CVODES
  double *y, *dy;                               // packed as ode->rhs wants them
  double *J;                                    // values of the pattern
  sunindextype *row_start, *column;             // the pattern with a full diagonal
  int *place;                                   // of each value of J in that
} Stiff;

static const MultistepLibrary CVODES;

// ---- called by CVODES; a positive return makes it try a smaller step

static int states_rhs(sunrealtype t, N_Vector x, N_Vector dx, void *self) {
  Stiff *d = self;
  const Ode *ode = d->base.stepper->ode;
  double *out = N_VGetArrayPointer(dx);
  d->base.stepper->count.rhs++;
  if (ode->rhs_states) {
    ode->rhs_states(ode->self, t, N_VGetArrayPointer(x), out);
  } else if (ode->ns == 0) {
    ode->rhs(ode->self, t, N_VGetArrayPointer(x), out);
  } else { // the columns are whatever they were last
    d->base.stepper->count.rhs_sens++;
    multistep_pack(&d->base, x, NULL, ode->n, d->y);
    ode->rhs(ode->self, t, d->y, d->dy);
    memcpy(out, d->dy, (size_t)ode->n * sizeof *out);
  }
  return multistep_finite(&d->base, out, ode->n);
}

static int columns_rhs(int ns, sunrealtype t, N_Vector x, N_Vector dx, N_Vector *columns,
                       N_Vector *out, void *self, N_Vector scratch1, N_Vector scratch2) {
  (void)ns, (void)dx, (void)scratch1, (void)scratch2;
  Stiff *d = self;
  const Ode *ode = d->base.stepper->ode;
  d->base.stepper->count.rhs++;
  d->base.stepper->count.rhs_sens++;
  multistep_pack(&d->base, x, columns, ode->n, d->y);
  ode->rhs(ode->self, t, d->y, d->dy);
  multistep_unpack(&d->base, d->dy, ode->n, out);
  return multistep_finite(&d->base, d->dy, ode->n * (1 + ode->stride));
}

static int pattern_jacobian(Stiff *d, double t, N_Vector x) {
  const Ode *ode = d->base.stepper->ode;
  ode->jacobian(ode->self, t, N_VGetArrayPointer(x), d->J, NULL);
  return multistep_finite(&d->base, d->J, pattern_count(ode->pattern));
}

static int dense_jacobian(sunrealtype t, N_Vector x, N_Vector dx, SUNMatrix M, void *self,
                          N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  (void)dx, (void)scratch1, (void)scratch2, (void)scratch3;
  Stiff *d = self;
  const Pattern *p = d->base.stepper->ode->pattern;
  int status = pattern_jacobian(d, t, x);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) SM_ELEMENT_D(M, i, p->column[e]) = d->J[e];
  return status;
}

// CVODES empties the matrix before each call, the pattern with the values.
static int sparse_jacobian(sunrealtype t, N_Vector x, N_Vector dx, SUNMatrix M, void *self,
                           N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  (void)dx, (void)scratch1, (void)scratch2, (void)scratch3;
  Stiff *d = self;
  const Pattern *p = d->base.stepper->ode->pattern;
  size_t n = (size_t)p->rows, count = (size_t)d->row_start[n];
  int status = pattern_jacobian(d, t, x);
  memcpy(SM_INDEXPTRS_S(M), d->row_start, (n + 1) * sizeof *d->row_start);
  memcpy(SM_INDEXVALS_S(M), d->column, count * sizeof *d->column);
  double *values = SM_DATA_S(M);
  memset(values, 0, count * sizeof *values);
  for (int e = 0; e < pattern_count(p); e++) values[d->place[e]] = d->J[e];
  return status;
}

// ---- set up

// Copies the pattern and adds the diagonal, which I - gamma J always has.
static void add_diagonal(Stiff *d, Arena *a, const Pattern *p) {
  d->row_start = ARENA_ARRAY(a, sunindextype, p->rows + 1);
  d->column = ARENA_ARRAY(a, sunindextype, pattern_count(p) + p->rows);
  d->place = ARENA_ARRAY(a, int, pattern_count(p));
  int count = 0;
  for (int i = 0; i < p->rows; i++) {
    bool diagonal = false;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      if (!diagonal && p->column[e] >= i) {
        diagonal = true;
        if (p->column[e] > i) d->column[count++] = i;
      }
      d->place[e] = count;
      d->column[count++] = p->column[e];
    }
    if (!diagonal) d->column[count++] = i;
    d->row_start[i + 1] = count;
  }
}

static bool is_sparse(const Ode *ode) {
  return ode->jacobian && ode->n >= MULTISTEP_SPARSE_FROM &&
         pattern_count(ode->pattern) + ode->n <= ode->n * (long)ode->n / 3;
}

static void make_linear_solver(Stiff *d, Arena *a, const Ode *ode) {
  CVLsJacFn jacobian = NULL; // CVODES takes difference quotients
  if (ode->jacobian) {
    d->J = ARENA_ARRAY(a, double, pattern_count(ode->pattern));
    jacobian = dense_jacobian;
  }
  if (is_sparse(ode)) {
    jacobian = sparse_jacobian;
    add_diagonal(d, a, ode->pattern);
    d->matrix = multistep_matrix(
        SUNSparseMatrix(ode->n, ode->n, d->row_start[ode->n], CSR_MAT, d->base.context));
    d->linear = must_have(SUNLinSol_KLU(d->x, d->matrix, d->base.context));
  } else {
    d->matrix = multistep_matrix(SUNDenseMatrix(ode->n, ode->n, d->base.context));
    d->linear = must_have(SUNLinSol_Dense(d->x, d->matrix, d->base.context));
  }
  multistep_made(CVodeSetLinearSolver(d->cvodes, d->linear, d->matrix));
  if (jacobian) multistep_made(CVodeSetJacFn(d->cvodes, jacobian));
}

static void make_sensitivities(Stiff *d, Arena *a, const Ode *ode) {
  d->sens = multistep_columns(&d->base, a, ode->n);
  d->abs_sens = multistep_columns(&d->base, a, ode->n);
  multistep_made(CVodeSensInit(d->cvodes, ode->ns, CV_STAGGERED, columns_rhs, d->sens));
  multistep_made(CVodeSetSensErrCon(d->cvodes, SUNTRUE));
}

static void make_fixed_point(Stiff *d, const Ode *ode) {
  d->nonlinear = must_have(SUNNonlinSol_FixedPoint(d->x, 0, d->base.context));
  multistep_made(CVodeSetNonlinearSolver(d->cvodes, d->nonlinear));
  if (ode->ns == 0) return;
  N_Vector bundle = multistep_bundle(ode->ns, d->x);
  d->nonlinear_sens = must_have(SUNNonlinSol_FixedPoint(bundle, 0, d->base.context));
  N_VDestroy(bundle);
}

static void set_limits(Stiff *d) {
  multistep_check(CVodeSetMaxErrTestFails(d->cvodes, MULTISTEP_ERROR_FAILS));
  multistep_check(CVodeSetMaxConvFails(d->cvodes, MULTISTEP_SOLVER_FAILS));
  multistep_check(CVodeSetMaxHnilWarns(d->cvodes, -1));
}

static Stiff *stiff_new(Stepper *s, Arena *a, int method) {
  const Ode *ode = s->ode;
  assert(ode->lanes == 1);
  Stiff *d = ARENA_NEW(a, Stiff);
  multistep_init(&d->base, s, &CVODES);
  if (ode->n == 0) return d;
  int size = vec_padded(ode->n * (1 + ode->stride));
  d->y = ARENA_ARRAY(a, double, size);
  d->dy = ARENA_ARRAY(a, double, size);
  multistep_made(SUNContext_Create(NULL, &d->base.context));
  d->x = multistep_vector(&d->base, ode->n);
  d->abs = multistep_vector(&d->base, ode->n);
  d->cvodes = must_have(CVodeCreate(method, d->base.context));
  multistep_made(CVodeSetErrFile(d->cvodes, NULL));
  multistep_made(CVodeInit(d->cvodes, states_rhs, 0, d->x));
  multistep_made(CVodeSetUserData(d->cvodes, d));
  set_limits(d);
  return d;
}

static void init_bdf(Stepper *s, Arena *a) {
  Stiff *d = stiff_new(s, a, CV_BDF);
  if (s->ode->n == 0) return;
  make_linear_solver(d, a, s->ode);
  if (s->ode->ns > 0) make_sensitivities(d, a, s->ode);
}

static void init_adams(Stepper *s, Arena *a) {
  Stiff *d = stiff_new(s, a, CV_ADAMS);
  if (s->ode->n == 0) return;
  make_fixed_point(d, s->ode);
  if (s->ode->ns == 0) return;
  make_sensitivities(d, a, s->ode);
  multistep_made(CVodeSetNonlinearSolverSensStg(d->cvodes, d->nonlinear_sens));
}

static void stiff_done(Stepper *s) {
  Stiff *d = s->data;
  if (!d || !d->cvodes) return;
  CVodeFree(&d->cvodes);
  if (d->nonlinear) SUNNonlinSolFree(d->nonlinear);
  if (d->nonlinear_sens) SUNNonlinSolFree(d->nonlinear_sens);
  if (d->linear) SUNLinSolFree(d->linear);
  if (d->matrix) SUNMatDestroy(d->matrix);
  multistep_columns_free(d->sens, s->ode->ns);
  multistep_columns_free(d->abs_sens, s->ode->ns);
  N_VDestroy(d->x);
  N_VDestroy(d->abs);
  SUNContext_Free(&d->base.context);
}

// ---- begin

static void set_tolerances(Stiff *d) {
  const Stepper *s = d->base.stepper;
  size_t size = (size_t)s->ode->n * (size_t)(1 + s->ode->stride);
  for (size_t i = 0; i < size; i++) d->dy[i] = fmax(s->tol.abs[i], MULTISTEP_ABS_LEAST);
  memcpy(N_VGetArrayPointer(d->abs), d->dy, (size_t)s->ode->n * sizeof(double));
  multistep_unpack(&d->base, d->dy, s->ode->n, d->abs_sens);
  multistep_made(CVodeSVtolerances(d->cvodes, s->tol.rel, d->abs));
  if (d->sens) multistep_made(CVodeSensSVtolerances(d->cvodes, s->tol.rel, d->abs_sens));
}

static bool begin(Multistep *m, double limit) {
  Stiff *d = (Stiff *)m;
  const Stepper *s = m->stepper;
  memcpy(N_VGetArrayPointer(d->x), s->y, (size_t)s->ode->n * sizeof(double));
  multistep_unpack(m, s->y, s->ode->n, d->sens);
  multistep_check(CVodeReInit(d->cvodes, s->t, d->x));
  if (d->sens) multistep_check(CVodeSensReInit(d->cvodes, CV_STAGGERED, d->sens));
  set_tolerances(d);
  multistep_check(CVodeSetMaxStep(d->cvodes, s->tol.max_step));
  multistep_check(CVodeSetInitStep(d->cvodes, copysign(m->first, limit - s->t)));
  return true;
}

// ---- one step

static Tally take_tally(Multistep *m) {
  Stiff *d = (Stiff *)m;
  void *cvodes = d->cvodes;
  Tally now = {0};
  long solver_fails = 0, sens_solver_fails = 0;
  CVodeGetNumErrTestFails(cvodes, &now.error_fails);
  CVodeGetNumStepSolveFails(cvodes, &solver_fails);
  CVodeGetNumLinSolvSetups(cvodes, &now.factorisations);
  CVodeGetNumJacEvals(cvodes, &now.jacobians); // fails and leaves 0 for Adams
  if (d->sens) {
    long more = 0;
    CVodeGetSensNumErrTestFails(cvodes, &now.sens_error_fails);
    CVodeGetNumStepSensSolveFails(cvodes, &sens_solver_fails);
    CVodeGetSensNumLinSolvSetups(cvodes, &more);
    now.factorisations += more;
  }
  now.rejected = now.error_fails + now.sens_error_fails + solver_fails + sens_solver_fails;
  return now;
}

static void compare_with_worst(Stepper *s, int index, double scaled, double *largest) {
  if (!(scaled > *largest)) return;
  *largest = scaled;
  s->worst = index;
}

static void find_worst_state(Stiff *d) {
  Stepper *s = d->base.stepper;
  CVodeGetErrWeights(d->cvodes, d->x);
  const double *weight = N_VGetArrayPointer(d->x);
  CVodeGetEstLocalErrors(d->cvodes, d->abs);
  const double *error = N_VGetArrayPointer(d->abs);
  double largest = 0;
  for (int i = 0; i < s->ode->n; i++)
    compare_with_worst(s, i, fabs(weight[i] * error[i]), &largest);
  s->last_error = fmax(largest, 1);
}

// CVODES keeps the errors of its columns to itself: takes the fastest on the scale of its
// tolerance.
static void find_worst_column(Stiff *d) {
  Stepper *s = d->base.stepper;
  const Ode *ode = s->ode;
  CVodeGetSensErrWeights(d->cvodes, d->abs_sens);
  double largest = 0;
  for (int k = 0; k < ode->ns; k++) {
    const double *weight = N_VGetArrayPointer(d->abs_sens[k]);
    for (int i = 0; i < ode->n; i++) {
      int index = ode->n + i * ode->stride + k;
      compare_with_worst(s, index, fabs(weight[i] * d->dy[index]), &largest);
    }
  }
  s->last_error = 1;
}

static void find_worst(Multistep *m, const Tally *now) {
  Stiff *d = (Stiff *)m;
  if (now->sens_error_fails > m->counted.sens_error_fails)
    find_worst_column(d);
  else if (now->rejected > m->counted.rejected)
    find_worst_state(d);
}

static StepEnd step_end(int flag, bool not_finite) {
  static const struct {
    int flag;
    StepEnd end;
  } TABLE[] = {
      {CV_SUCCESS, STEP_DONE},
      {CV_TSTOP_RETURN, STEP_DONE},
      {CV_TOO_MUCH_WORK, STEP_TOO_MANY},
      {CV_ERR_FAILURE, STEP_TOO_SMALL},
      {CV_RHSFUNC_FAIL, STEP_NOT_COMPUTABLE},
      {CV_FIRST_RHSFUNC_ERR, STEP_NOT_COMPUTABLE},
      {CV_REPTD_RHSFUNC_ERR, STEP_NOT_COMPUTABLE},
      {CV_UNREC_RHSFUNC_ERR, STEP_NOT_COMPUTABLE},
      {CV_SRHSFUNC_FAIL, STEP_NOT_COMPUTABLE},
      {CV_FIRST_SRHSFUNC_ERR, STEP_NOT_COMPUTABLE},
      {CV_REPTD_SRHSFUNC_ERR, STEP_NOT_COMPUTABLE},
      {CV_UNREC_SRHSFUNC_ERR, STEP_NOT_COMPUTABLE},
  };
  for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
    if (TABLE[i].flag == flag) return TABLE[i].end;
  assert(flag != CV_ILL_INPUT && flag != CV_MEM_NULL && flag != CV_NO_MALLOC);
  return not_finite ? STEP_NOT_COMPUTABLE : STEP_TOO_SMALL;
}

static StepEnd advance(Multistep *m, double limit, double *t) {
  Stiff *d = (Stiff *)m;
  multistep_check(CVodeSetStopTime(d->cvodes, limit));
  errno = 0;
  int flag = CVode(d->cvodes, limit, d->x, t, CV_ONE_STEP);
  if (flag < 0) memory_check_errno(); // KLU says no more than that it failed
  return step_end(flag, m->not_finite);
}

static void accept(Multistep *m) {
  Stiff *d = (Stiff *)m;
  Stepper *s = m->stepper;
  if (d->sens) CVodeGetSensDky(d->cvodes, s->t, 0, d->sens);
  multistep_pack(m, d->x, d->sens, s->ode->n, s->y);
  CVodeGetCurrentStep(d->cvodes, &s->h_next);
}

static void interpolate(Multistep *m, double t, bool columns, double *y) {
  Stiff *d = (Stiff *)m;
  multistep_check(CVodeGetDky(d->cvodes, t, 0, d->x));
  if (columns) multistep_check(CVodeGetSensDky(d->cvodes, t, 0, d->sens));
  multistep_pack(m, d->x, columns ? d->sens : NULL, m->stepper->ode->n, y);
}

static const MultistepLibrary CVODES = {begin,       advance,    accept,
                                        interpolate, take_tally, find_worst};

const StepperRow STEPPER_BDF = {
    .name = "bdf",
    .meaning = "backward differentiation (CVODES), order 1 to 5: stiff, large and sparse systems",
    .implicit = true,
    .init = init_bdf,
    .done = stiff_done,
    .start = multistep_start,
    .step = multistep_step,
    .dense = multistep_dense,
};

const StepperRow STEPPER_ADAMS = {
    .name = "adams",
    .meaning =
        "Adams-Moulton (CVODES), order 1 to 12: smooth systems that are expensive to evaluate",
    .init = init_adams,
    .done = stiff_done,
    .start = multistep_start,
    .step = multistep_step,
    .dense = multistep_dense,
};
