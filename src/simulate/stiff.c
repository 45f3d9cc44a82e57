#include "simulate/stiff.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "num/vec.h"

// By hand: sunlinsol_klu.h wants klu.h, which Debian keeps off the include path.
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix A, SUNContext context);

enum {
  SPARSE_FROM = 20,       // states; below, dense factorisation is as fast (measured on bands)
  ERROR_FAILS_MOST = 20,  // in one step; CVODES itself gives up after 7
  SOLVER_FAILS_MOST = 35, // each divides the step by 4: enough to shrink it to rounding
};

static const double ABS_LEAST =
    1e-100; // CVODES needs positive weights, and their squares must be finite

// What CVODES has counted since it was last initialised.
typedef struct Tally {
  long rejected, jacobians, factorisations, error_fails, sens_error_fails;
} Tally;

typedef struct Stiff {
  Stepper *stepper;
  SUNContext context;
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
  Tally tally;
  bool fresh;      // CVODES begins anew at the next step
  bool flat;       // the last step has no inside
  bool not_finite; // some evaluation of this step was not
} Stiff;

static void *must(void *made) {
  assert(made && "CVODES is out of memory");
  return made;
}

static void check(int flag) {
  (void)flag;
  assert(flag == CV_SUCCESS && "CVODES refuses its arguments");
}

static bool all_finite(const double *x, size_t n) {
  double sum = 0; // 0 * x is NaN exactly where x is not finite
  for (size_t i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

// ---- between columns of CVODES and rows of ours

static void pack(const Stiff *d, const double *x, N_Vector *columns, double *y) {
  const Ode *ode = d->stepper->ode;
  memcpy(y, x, (size_t)ode->n * sizeof *y);
  double *S = y + ode->n;
  for (int k = 0; columns && k < ode->ns; k++) {
    const double *column = N_VGetArrayPointer(columns[k]);
    for (int i = 0; i < ode->n; i++) S[(size_t)i * ode->stride + k] = column[i];
  }
}

static void unpack_columns(const Stiff *d, const double *y, N_Vector *columns) {
  const Ode *ode = d->stepper->ode;
  const double *S = y + ode->n;
  for (int k = 0; k < ode->ns; k++) {
    double *column = N_VGetArrayPointer(columns[k]);
    for (int i = 0; i < ode->n; i++) column[i] = S[(size_t)i * ode->stride + k];
  }
}

static void unpack(const Stiff *d, const double *y, N_Vector x, N_Vector *columns) {
  memcpy(N_VGetArrayPointer(x), y, (size_t)d->stepper->ode->n * sizeof *y);
  if (columns) unpack_columns(d, y, columns);
}

// ---- called by CVODES; a positive return makes it try a smaller step

static int finite_or_retry(Stiff *d, const double *values, size_t n) {
  bool finite = all_finite(values, n);
  if (!finite) d->not_finite = true;
  return finite ? 0 : 1;
}

static int states_rhs(sunrealtype t, N_Vector x, N_Vector dx, void *self) {
  Stiff *d = self;
  const Ode *ode = d->stepper->ode;
  double *out = N_VGetArrayPointer(dx);
  d->stepper->count.rhs++;
  if (ode->rhs_states) {
    ode->rhs_states(ode->self, t, N_VGetArrayPointer(x), out);
  } else if (ode->ns == 0) {
    ode->rhs(ode->self, t, N_VGetArrayPointer(x), out);
  } else { // the columns are whatever they were last
    d->stepper->count.rhs_sens++;
    pack(d, N_VGetArrayPointer(x), NULL, d->y);
    ode->rhs(ode->self, t, d->y, d->dy);
    memcpy(out, d->dy, (size_t)ode->n * sizeof *out);
  }
  return finite_or_retry(d, out, (size_t)ode->n);
}

static int columns_rhs(int ns, sunrealtype t, N_Vector x, N_Vector dx, N_Vector *columns,
                       N_Vector *out, void *self, N_Vector scratch1, N_Vector scratch2) {
  (void)ns, (void)dx, (void)scratch1, (void)scratch2;
  Stiff *d = self;
  const Ode *ode = d->stepper->ode;
  d->stepper->count.rhs++;
  d->stepper->count.rhs_sens++;
  pack(d, N_VGetArrayPointer(x), columns, d->y);
  ode->rhs(ode->self, t, d->y, d->dy);
  unpack_columns(d, d->dy, out);
  return finite_or_retry(d, d->dy, (size_t)ode->n * (size_t)(1 + ode->stride));
}

static int pattern_jacobian(Stiff *d, double t, N_Vector x) {
  const Ode *ode = d->stepper->ode;
  ode->jacobian(ode->self, t, N_VGetArrayPointer(x), d->J, NULL);
  return finite_or_retry(d, d->J, (size_t)pattern_count(ode->pattern));
}

static int dense_jacobian(sunrealtype t, N_Vector x, N_Vector dx, SUNMatrix M, void *self,
                          N_Vector scratch1, N_Vector scratch2, N_Vector scratch3) {
  (void)dx, (void)scratch1, (void)scratch2, (void)scratch3;
  Stiff *d = self;
  const Pattern *p = d->stepper->ode->pattern;
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
  const Pattern *p = d->stepper->ode->pattern;
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

static N_Vector vector_new(Stiff *d, int n) {
  return must(N_VNew_Serial(n, d->context));
}

static N_Vector *columns_new(Stiff *d, Arena *a, int count, int n) {
  N_Vector *columns = ARENA_ARRAY(a, N_Vector, count);
  for (int k = 0; k < count; k++) columns[k] = vector_new(d, n);
  return columns;
}

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
  return ode->jacobian && ode->n >= SPARSE_FROM &&
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
    d->matrix = must(SUNSparseMatrix(ode->n, ode->n, d->row_start[ode->n], CSR_MAT, d->context));
    d->linear = must(SUNLinSol_KLU(d->x, d->matrix, d->context));
  } else {
    d->matrix = must(SUNDenseMatrix(ode->n, ode->n, d->context));
    d->linear = must(SUNLinSol_Dense(d->x, d->matrix, d->context));
  }
  check(CVodeSetLinearSolver(d->cvodes, d->linear, d->matrix));
  if (jacobian) check(CVodeSetJacFn(d->cvodes, jacobian));
}

static void make_sensitivities(Stiff *d, Arena *a, const Ode *ode) {
  d->sens = columns_new(d, a, ode->ns, ode->n);
  d->abs_sens = columns_new(d, a, ode->ns, ode->n);
  check(CVodeSensInit(d->cvodes, ode->ns, CV_STAGGERED, columns_rhs, d->sens));
  check(CVodeSetSensErrCon(d->cvodes, SUNTRUE));
}

static void make_fixed_point(Stiff *d, const Ode *ode) {
  d->nonlinear = must(SUNNonlinSol_FixedPoint(d->x, 0, d->context));
  check(CVodeSetNonlinearSolver(d->cvodes, d->nonlinear));
  if (ode->ns == 0) return;
  d->nonlinear_sens = must(SUNNonlinSol_FixedPointSens(ode->ns, d->x, 0, d->context));
}

static void set_limits(Stiff *d) {
  check(CVodeSetMaxErrTestFails(d->cvodes, ERROR_FAILS_MOST));
  check(CVodeSetMaxConvFails(d->cvodes, SOLVER_FAILS_MOST));
  check(CVodeSetMaxHnilWarns(d->cvodes, -1));
}

static Stiff *stiff_new(Stepper *s, Arena *a, int method) {
  const Ode *ode = s->ode;
  assert(ode->lanes == 1);
  Stiff *d = ARENA_NEW(a, Stiff);
  s->data = d;
  d->stepper = s;
  d->fresh = d->flat = true;
  if (ode->n == 0) return d;
  int size = vec_padded(ode->n * (1 + ode->stride));
  d->y = ARENA_ARRAY(a, double, size);
  d->dy = ARENA_ARRAY(a, double, size);
  int flag = SUNContext_Create(NULL, &d->context);
  check(flag);
  d->x = vector_new(d, ode->n);
  d->abs = vector_new(d, ode->n);
  N_VConst(0, d->x);
  d->cvodes = must(CVodeCreate(method, d->context));
  check(CVodeSetErrFile(d->cvodes, NULL));
  check(CVodeInit(d->cvodes, states_rhs, 0, d->x));
  check(CVodeSetUserData(d->cvodes, d));
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
  check(CVodeSetNonlinearSolverSensStg(d->cvodes, d->nonlinear_sens));
}

static void stiff_done(Stepper *s) {
  Stiff *d = s->data;
  if (!d || !d->cvodes) return;
  CVodeFree(&d->cvodes);
  if (d->nonlinear) SUNNonlinSolFree(d->nonlinear);
  if (d->nonlinear_sens) SUNNonlinSolFree(d->nonlinear_sens);
  if (d->linear) SUNLinSolFree(d->linear);
  if (d->matrix) SUNMatDestroy(d->matrix);
  for (int k = 0; d->sens && k < s->ode->ns; k++) {
    N_VDestroy(d->sens[k]);
    N_VDestroy(d->abs_sens[k]);
  }
  N_VDestroy(d->x);
  N_VDestroy(d->abs);
  SUNContext_Free(&d->context);
}

// ---- begin

static void set_tolerances(Stiff *d) {
  const Stepper *s = d->stepper;
  size_t size = (size_t)s->ode->n * (size_t)(1 + s->ode->stride);
  for (size_t i = 0; i < size; i++) d->dy[i] = fmax(s->tol.abs[i], ABS_LEAST);
  unpack(d, d->dy, d->abs, d->abs_sens);
  check(CVodeSVtolerances(d->cvodes, s->tol.rel, d->abs));
  if (d->sens) check(CVodeSensSVtolerances(d->cvodes, s->tol.rel, d->abs_sens));
}

static void begin(Stiff *d, double limit) {
  const Stepper *s = d->stepper;
  unpack(d, s->y, d->x, d->sens);
  check(CVodeReInit(d->cvodes, s->t, d->x));
  if (d->sens) check(CVodeSensReInit(d->cvodes, CV_STAGGERED, d->sens));
  set_tolerances(d);
  check(CVodeSetMaxStep(d->cvodes, s->tol.max_step));
  check(CVodeSetInitStep(d->cvodes, copysign(s->tol.first_step, limit - s->t)));
  d->tally = (Tally){0};
  d->fresh = false;
}

static void stiff_start(Stepper *s, double t_end) {
  Stiff *d = s->data;
  d->fresh = d->flat = true;
  d->not_finite = false;
  s->t_old = s->t;
  memcpy(s->y_old, s->y, (size_t)s->ode->n * (size_t)(1 + s->ode->stride) * sizeof *s->y);
  s->h_next = copysign(s->tol.first_step, t_end - s->t);
}

// ---- one step

static Tally take_tally(void *cvodes, bool sens) {
  Tally now = {0};
  long solver_fails = 0, sens_solver_fails = 0;
  CVodeGetNumErrTestFails(cvodes, &now.error_fails);
  CVodeGetNumStepSolveFails(cvodes, &solver_fails);
  CVodeGetNumLinSolvSetups(cvodes, &now.factorisations);
  CVodeGetNumJacEvals(cvodes, &now.jacobians); // fails and leaves 0 for Adams
  if (sens) {
    long more = 0;
    CVodeGetSensNumErrTestFails(cvodes, &now.sens_error_fails);
    CVodeGetNumStepSensSolveFails(cvodes, &sens_solver_fails);
    CVodeGetSensNumLinSolvSetups(cvodes, &more);
    now.factorisations += more;
  }
  now.rejected = now.error_fails + now.sens_error_fails + solver_fails + sens_solver_fails;
  return now;
}

static void find_worst(Stepper *s, int index, double scaled, double *largest) {
  if (!(scaled > *largest)) return;
  *largest = scaled;
  s->worst = index;
}

static void find_worst_state(Stiff *d) {
  Stepper *s = d->stepper;
  CVodeGetErrWeights(d->cvodes, d->x);
  const double *weight = N_VGetArrayPointer(d->x);
  CVodeGetEstLocalErrors(d->cvodes, d->abs);
  const double *error = N_VGetArrayPointer(d->abs);
  double largest = 0;
  for (int i = 0; i < s->ode->n; i++) find_worst(s, i, fabs(weight[i] * error[i]), &largest);
  s->last_error = fmax(largest, 1);
}

// CVODES keeps the errors of its columns to itself: takes the fastest on the scale of its
// tolerance.
static void find_worst_column(Stiff *d) {
  Stepper *s = d->stepper;
  const Ode *ode = s->ode;
  CVodeGetSensErrWeights(d->cvodes, d->abs_sens);
  double largest = 0;
  for (int k = 0; k < ode->ns; k++) {
    const double *weight = N_VGetArrayPointer(d->abs_sens[k]);
    for (int i = 0; i < ode->n; i++) {
      int index = ode->n + i * ode->stride + k;
      find_worst(s, index, fabs(weight[i] * d->dy[index]), &largest);
    }
  }
  s->last_error = 1;
}

// Adds what this step has cost, and notes what limited it.
static void count_step(Stiff *d) {
  Stepper *s = d->stepper;
  Tally now = take_tally(d->cvodes, d->sens);
  s->count.rejected += now.rejected - d->tally.rejected;
  s->count.jacobians += now.jacobians - d->tally.jacobians;
  s->count.factorisations += now.factorisations - d->tally.factorisations;
  if (now.sens_error_fails > d->tally.sens_error_fails)
    find_worst_column(d);
  else if (now.rejected > d->tally.rejected)
    find_worst_state(d);
  d->tally = now;
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

static void accept(Stiff *d, double t) {
  Stepper *s = d->stepper;
  size_t size = (size_t)s->ode->n * (size_t)(1 + s->ode->stride);
  memcpy(s->y_old, s->y, size * sizeof *s->y);
  s->t_old = s->t;
  s->t = t;
  s->count.steps++;
  d->flat = false;
  if (d->sens) CVodeGetSensDky(d->cvodes, t, 0, d->sens);
  pack(d, N_VGetArrayPointer(d->x), d->sens, s->y);
  CVodeGetCurrentStep(d->cvodes, &s->h_next);
}

// No states, or nothing that rounding would not swallow: only the time moves.
static StepEnd skip_to(Stepper *s, double limit) {
  Stiff *d = s->data;
  memcpy(s->y_old, s->y, (size_t)s->ode->n * (size_t)(1 + s->ode->stride) * sizeof *s->y);
  s->t_old = s->t;
  s->t = limit;
  s->count.steps++;
  d->fresh = d->flat = true;
  return STEP_DONE;
}

static StepEnd stiff_step(Stepper *s, double limit) {
  Stiff *d = s->data;
  if (s->count.steps + s->count.rejected >= s->tol.max_steps) return STEP_TOO_MANY;
  double rounding = 8 * DBL_EPSILON * fmax(fabs(s->t), fabs(limit));
  if (s->ode->n == 0 || fabs(limit - s->t) <= rounding) return skip_to(s, limit);

  if (d->fresh) begin(d, limit);
  check(CVodeSetStopTime(d->cvodes, limit));
  double t = s->t;
  bool not_finite_before = d->not_finite;
  d->not_finite = false;
  int flag = CVode(d->cvodes, limit, d->x, &t, CV_ONE_STEP);
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

static void stiff_dense(Stepper *s, double t, bool with_sensitivities, double *y) {
  Stiff *d = s->data;
  const double *known = t == s->t_old ? s->y_old : s->y;
  size_t n = (size_t)s->ode->n, size = with_sensitivities ? n * (size_t)(1 + s->ode->stride) : n;
  if (d->flat || t == s->t || t == s->t_old) {
    memcpy(y, known, size * sizeof *y);
    return;
  }
  check(CVodeGetDky(d->cvodes, t, 0, d->x));
  if (with_sensitivities && d->sens) check(CVodeGetSensDky(d->cvodes, t, 0, d->sens));
  pack(d, N_VGetArrayPointer(d->x), with_sensitivities ? d->sens : NULL, y);
}

const StepperRow STEPPER_BDF = {
    .name = "bdf",
    .meaning = "backward differentiation (CVODES), order 1 to 5: stiff, large and sparse systems",
    .implicit = true,
    .init = init_bdf,
    .done = stiff_done,
    .start = stiff_start,
    .step = stiff_step,
    .dense = stiff_dense,
};

const StepperRow STEPPER_ADAMS = {
    .name = "adams",
    .meaning = "Adams-Moulton (CVODES), order 1 to 12: smooth systems that are dear to evaluate",
    .init = init_adams,
    .done = stiff_done,
    .start = stiff_start,
    .step = stiff_step,
    .dense = stiff_dense,
};
