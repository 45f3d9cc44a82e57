#include "hand/cvodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { PARAMETERS_MOST = 64 };

struct Cvodes {
  const HandModel *model;
  SUNContext context;
  void *memory;
  N_Vector x, *s, abs_tol;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver fixed_point, fixed_point_sens;
  CvodesSens sens;
  double p[PARAMETERS_MOST], scale[PARAMETERS_MOST];
};

static void must(int flag, const char *what) {
  if (flag == 0) return;
  fprintf(stderr, "bench: %s failed (%d)\n", what, flag);
  exit(3);
}

static int rhs(realtype t, N_Vector x, N_Vector dx, void *user) {
  const HandModel *m = ((Cvodes *)user)->model;
  m->rhs(t, N_VGetArrayPointer(x), m->p, N_VGetArrayPointer(dx));
  return 0;
}

static int jacobian(realtype t, N_Vector x, N_Vector dx, SUNMatrix J, void *user, N_Vector w1,
                    N_Vector w2, N_Vector w3) {
  (void)dx, (void)w1, (void)w2, (void)w3;
  const HandModel *m = ((Cvodes *)user)->model;
  m->jacobian(t, N_VGetArrayPointer(x), m->p, SUNDenseMatrix_Data(J)); // zeroed by CVODES
  return 0;
}

static int sens(int np, realtype t, N_Vector x, N_Vector dx, N_Vector *s, N_Vector *ds, void *user,
                N_Vector w1, N_Vector w2) {
  (void)dx, (void)w1, (void)w2;
  const HandModel *m = ((Cvodes *)user)->model;
  const double *from[PARAMETERS_MOST];
  double *to[PARAMETERS_MOST];
  for (int k = 0; k < np; k++) {
    from[k] = NV_DATA_S(s[k]);
    to[k] = NV_DATA_S(ds[k]);
  }
  m->sens(t, NV_DATA_S(x), from, m->p, to);
  return 0;
}

static void reset(Cvodes *w) {
  const HandModel *m = w->model;
  memcpy(NV_DATA_S(w->x), m->x0, (size_t)m->nx * sizeof(double));
  for (int k = 0; k < m->np; k++) N_VConst(0, w->s[k]);
}

static void attach_newton(Cvodes *w) {
  w->matrix = SUNDenseMatrix(w->model->nx, w->model->nx, w->context);
  w->linear = SUNLinSol_Dense(w->x, w->matrix, w->context);
  must(CVodeSetLinearSolver(w->memory, w->linear, w->matrix), "CVodeSetLinearSolver");
  must(CVodeSetJacFn(w->memory, jacobian), "CVodeSetJacFn");
}

static void attach_fixed_point(Cvodes *w) {
  int np = w->model->np;
  w->fixed_point = SUNNonlinSol_FixedPoint(w->x, 0, w->context);
  must(CVodeSetNonlinearSolver(w->memory, w->fixed_point), "CVodeSetNonlinearSolver");
  if (w->sens == CVODES_SIMULTANEOUS) {
    w->fixed_point_sens = SUNNonlinSol_FixedPointSens(np + 1, w->x, 0, w->context);
    must(CVodeSetNonlinearSolverSensSim(w->memory, w->fixed_point_sens), "sensitivity solver");
  } else {
    w->fixed_point_sens = SUNNonlinSol_FixedPointSens(np, w->x, 0, w->context);
    must(CVodeSetNonlinearSolverSensStg(w->memory, w->fixed_point_sens), "sensitivity solver");
  }
}

static void add_sensitivities(Cvodes *w) {
  const HandModel *m = w->model;
  int approach = w->sens == CVODES_SIMULTANEOUS ? CV_SIMULTANEOUS : CV_STAGGERED;
  must(CVodeSensInit(w->memory, m->np, approach, sens, w->s), "CVodeSensInit");
  for (int k = 0; k < m->np; k++) w->p[k] = m->p[k], w->scale[k] = m->p[k];
  must(CVodeSetSensParams(w->memory, w->p, w->scale, NULL), "CVodeSetSensParams");
  must(CVodeSensEEtolerances(w->memory), "CVodeSensEEtolerances");
  must(CVodeSetSensErrCon(w->memory, SUNTRUE), "CVodeSetSensErrCon");
}

static int set_tolerances(Cvodes *w, double rel_tol, double abs_tol) {
  const HandModel *m = w->model;
  for (int i = 0; i < m->nx; i++)
    NV_Ith_S(w->abs_tol, i) = abs_tol * (m->nominal ? m->nominal[i] : 1);
  return CVodeSVtolerances(w->memory, rel_tol, w->abs_tol);
}

Cvodes *cvodes_new(const HandModel *model, CvodesMethod method, CvodesSens approach) {
  Cvodes *w = calloc(1, sizeof *w);
  w->model = model;
  w->sens = approach;
  must(SUNContext_Create(NULL, &w->context), "SUNContext_Create");
  w->x = N_VNew_Serial(model->nx, w->context);
  w->s = N_VCloneVectorArray(model->np, w->x);
  w->abs_tol = N_VClone(w->x);
  reset(w);
  w->memory = CVodeCreate(method == CVODES_ADAMS ? CV_ADAMS : CV_BDF, w->context);
  must(CVodeInit(w->memory, rhs, 0, w->x), "CVodeInit");
  must(CVodeSetUserData(w->memory, w), "CVodeSetUserData");
  must(set_tolerances(w, 1e-6, 1e-8), "CVodeSVtolerances");
  must(CVodeSetMaxNumSteps(w->memory, 10000000), "CVodeSetMaxNumSteps");
  must(CVodeSetErrFile(w->memory, NULL), "CVodeSetErrFile");
  if (method == CVODES_BDF) attach_newton(w);
  add_sensitivities(w);
  if (method == CVODES_ADAMS) attach_fixed_point(w);
  return w;
}

void cvodes_free(Cvodes *w) {
  if (!w) return;
  CVodeFree(&w->memory);
  if (w->fixed_point) SUNNonlinSolFree(w->fixed_point);
  if (w->fixed_point_sens) SUNNonlinSolFree(w->fixed_point_sens);
  if (w->linear) SUNLinSolFree(w->linear);
  if (w->matrix) SUNMatDestroy(w->matrix);
  N_VDestroyVectorArray(w->s, w->model->np);
  N_VDestroy(w->x);
  N_VDestroy(w->abs_tol);
  SUNContext_Free(&w->context);
  free(w);
}

CvodesCount cvodes_count(const Cvodes *w) {
  CvodesCount c = {0};
  CVodeGetNumSteps(w->memory, &c.steps);
  CVodeGetNumRhsEvals(w->memory, &c.rhs);
  CVodeGetSensNumRhsEvals(w->memory, &c.rhs_sens);
  if (w->linear) CVodeGetNumJacEvals(w->memory, &c.jacobians);
  return c;
}

void cvodes_limit_steps(Cvodes *w, long most) {
  must(CVodeSetMaxNumSteps(w->memory, most), "CVodeSetMaxNumSteps");
}

static void copy_row(const Cvodes *w, double *out) {
  int nx = w->model->nx;
  memcpy(out, NV_DATA_S(w->x), (size_t)nx * sizeof *out);
  for (int k = 0; k < w->model->np; k++)
    memcpy(out + (size_t)(k + 1) * nx, NV_DATA_S(w->s[k]), (size_t)nx * sizeof *out);
}

bool cvodes_run(Cvodes *w, double rel_tol, double abs_tol, const double *times, int count,
                double *out) {
  int approach = w->sens == CVODES_SIMULTANEOUS ? CV_SIMULTANEOUS : CV_STAGGERED;
  size_t stride = (size_t)w->model->nx * (size_t)(1 + w->model->np);
  double t = times[0];
  reset(w);
  copy_row(w, out);
  if (CVodeReInit(w->memory, t, w->x) || CVodeSensReInit(w->memory, approach, w->s)) return false;
  if (set_tolerances(w, rel_tol, abs_tol)) return false;
  for (int i = 1; i < count; i++) {
    if (CVode(w->memory, times[i], w->x, &t, CV_NORMAL) < 0) return false;
    if (CVodeGetSens(w->memory, &t, w->s)) return false;
    copy_row(w, out + (size_t)i * stride);
  }
  return true;
}
