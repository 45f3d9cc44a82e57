// A hand-written program on CVODES: forward sensitivities by the analytic variational equations, all of them in the
// error test, solver memory made once and reused.
#pragma once
#include <stdbool.h>

#include "hand/hand.h"

typedef enum CvodesMethod {
  CVODES_ADAMS,
  CVODES_BDF
} CvodesMethod; // Adams: fixed point; BDF: Newton, dense
typedef enum CvodesSens { CVODES_SIMULTANEOUS, CVODES_STAGGERED } CvodesSens;

typedef struct Cvodes Cvodes;
typedef struct CvodesCount {
  long steps, rhs, rhs_sens, jacobians;
} CvodesCount;

Cvodes *cvodes_new(const HandModel *model, CvodesMethod method, CvodesSens sens);
void cvodes_free(Cvodes *w);
CvodesCount cvodes_count(const Cvodes *w);
void cvodes_limit_steps(Cvodes *w,
                        long most); // between two outputs; otherwise there is hardly a limit
// out[i*stride + ...] = [x, s_1, s_2, ...] at times[i], stride = nx*(1 + np). false: CVODES gave up.
bool cvodes_run(Cvodes *w, double rel_tol, double abs_tol, const double *times, int count,
                double *out);
