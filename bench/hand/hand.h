// Models as a person writes them in C: the comparators of the benchmark. One HandModel for each, in its own file.
//
// Parameters are numbers in the order of the struct at the top of each file; states in the order of the model file.
#pragma once

typedef void HandRhs(double t, const double *x, const double *p, double *dx);
// ds[k] = f_x s[k] + df/dp_k for all parameters k: the variational equations written out.
typedef void HandSens(double t, const double *x, const double *const *s, const double *p,
                      double *const *ds);

typedef struct HandModel {
  const char *name;
  int nx, np, parameters; // np: parameters with sensitivities, the first of all parameters
  const double *p;
  const double *x0;
  const double *nominal;              // of each state, for absolute tolerances; NULL: 1
  const char *const *parameter_names; // np names, as in the model file
  HandRhs *rhs;
  HandRhs
      *rhs_sens; // states and sensitivities in one vector [x, s_1, s_2, ...]; NULL for stiff models
  HandRhs *jacobian;      // dense, by columns; entries that are always 0 are not written
  HandRhs *jacobian_time; // the same and df/dt as one more column; NULL for stiff models
  HandSens *sens;         // the same equations in the form that CVODES asks for
} HandModel;

extern const HandModel HAND_PENDULUM, HAND_VDPD, HAND_TWO_DOF;
extern const HandModel HAND_ROBERTSON, HAND_HIRES, HAND_POLLUTION, HAND_NETWORK14;
