// What integrators see and what they offer: one accepted step at a time, and values anywhere inside the last step.
//
// The vector y holds the states and, behind them, their sensitivities: y = [x: n rows of `lanes`] [S: n rows of
// stride*lanes], S[(i*stride + k)*lanes + lane] = dx_i/dp_k. stride >= ns; columns ns..stride-1 are padding and stay 0.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "num/pattern.h"

// The motion as equations 0 = F(t, z, dz/dt) in more unknowns, z = [x: n states | others], for integrators of
// differential-algebraic equations. lanes 1. Columns of sensitivities lie behind z and dz as they do in y: m rows of
// ode->stride numbers. Not finite where the model cannot be computed.
typedef struct Dae {
  int m;              // unknowns = equations, >= n
  void *self;         // handed to the functions
  const bool *tested; // by unknown: takes part in the error test
  // By unknown: its size, which absolute tolerances of others are taken from. 0: it enters linearly, and Newton's
  // iteration need not wait for it.
  const double *nominal;
  const Pattern *pattern; // of F_z and F_dz together
  void (*residual)(void *self, double t, const double *z, const double *dz, double *F);
  // F = [F | F_z S + F_dz dS/dt + F_p] from [z | S] and [dz | dS/dt]
  void (*residual_sens)(void *self, double t, const double *z, const double *dz, double *F);
  // J = F_z + c F_dz in the order of the pattern
  void (*jacobian)(void *self, double t, const double *z, const double *dz, double c, double *J);
  // Consistent z and dz/dt, with their columns, where the states and their columns are y.
  void (*begin)(void *self, double t, const double *y, double *z, double *dz);
} Dae;

typedef struct Ode {
  int n;      // states, >= 0
  int ns;     // sensitivity columns, 0 = none
  int stride; // columns stored, >= ns (0 when ns is 0)
  int lanes;  // parameter sets side by side, 1 = ordinary
  void *self; // handed to the functions
  // dy = [f | f_x S + f_p]. Not finite where the model cannot be computed: the integrator then tries a smaller step.
  void (*rhs)(void *self, double t, const double *y, double *dy);
  // The times at which rhs or rhs_states will be asked next, 16 at most; NULL: not needed.
  void (*times)(void *self, const double *t, int count);
  // As rhs, of the states alone (dx has n*lanes numbers). NULL: rhs does it when ns is 0.
  void (*rhs_states)(void *self, double t, const double *x, double *dx);

  // For implicit methods (lanes == 1); NULL when the system has none.
  const Pattern *pattern; // of f_x, by rows
  // J: values of f_x in the order of the pattern; ft[n]: derivative of f by time along the inputs, or NULL.
  void (*jacobian)(void *self, double t, const double *x, double *J, double *ft);
  // Total derivative by each parameter column: DJ[e*stride + k] of value e of J, Dft[i*stride + k] of ft.
  void (*jacobian_sens)(void *self, double t, const double *y, double *DJ, double *Dft);
  const Dae *dae; // what ida-ggl and ida-index3 integrate (implicit.h makes it); others need none
} Ode;

typedef struct Tolerance {
  double rel;         // relative
  const double *abs;  // absolute, of each number of y
  double max_step;    // 0: no limit
  double first_step;  // 0: choose
  long max_steps;     // accepted and rejected together, counted over the life of the stepper
  double fixed_step;  // of methods with fixed steps, > 0
  int jacobian_every; // of semi-implicit-euler: steps for which a Jacobian serves
} Tolerance;

typedef enum StepEnd {
  STEP_DONE,           // t advanced
  STEP_TOO_SMALL,      // the error test fails at the smallest step that changes t
  STEP_NOT_COMPUTABLE, // f is not finite however small the step
  STEP_TOO_MANY,       // max_steps
  STEP_STIFF,          // t advanced, and an explicit method should hand over to an implicit one
  STEP_NOT_STIFF,      // t advanced, and an explicit method would be cheaper now
} StepEnd;

typedef struct StepCount {
  long steps, rejected;
  long rhs;      // evaluations of f (states, with or without sensitivities)
  long rhs_sens; // those of them that included sensitivities
  long jacobians, factorisations;
} StepCount;

// One integration; a StepperRow makes it. Fields are read by the caller, written by the stepper.
typedef struct Stepper Stepper;
struct Stepper {
  const struct StepperRow *row;
  const Ode *ode;
  Tolerance tol;
  double t, t_old;   // the last step went from t_old to t
  double *y, *y_old; // n*lanes*(1 + stride) numbers each
  double h_next;     // proposal for the next step; sign is the direction
  int worst;         // index into y (without lanes) that limited the last rejected step
  double last_error; // its scaled error, > 1
  // Of several lanes, by lane; NULL with one.
  // Squared scaled error of the last attempt, NaN where it could not be computed.
  double *lane_error;
  double *lane_steps; // about how many steps the lane would have needed alone
  bool *lane_stiff;   // explicit methods: it should be integrated by an implicit one
  StepCount count;
  void *data; // the method's own
};

typedef struct StepperRow {
  const char *name;    // "rk8"
  const char *meaning; // for the help
  int order;           // of the method, 0 = variable
  bool implicit;       // needs jacobian
  bool differentiated; // and jacobian_sens for sensitivities
  bool fixed;          // steps have the length tol.fixed_step
  // Sizes everything; nothing else allocates (CVODES apart). Keeps the pointer to ode.
  void (*init)(Stepper *s, Arena *a);
  void (*done)(Stepper *s); // NULL: nothing to do
  // Begins at (t, y already in s->y), aims at t_end (direction). Called again after every event.
  void (*start)(Stepper *s, double t_end);
  // One accepted step from s->t, not beyond limit; ends exactly at limit when it gets there.
  StepEnd (*step)(Stepper *s, double limit);
  // s->y was moved a little at s->t, by less than the tolerances: what depends on it is computed anew, the size of the
  // steps stays. The last step has no dense output any more. NULL: start serves.
  void (*moved)(Stepper *s);
  // y at t_old <= t <= t. columns: only the states (false) or states and sensitivities (true).
  void (*dense)(Stepper *s, double t, bool with_sensitivities, double *y);
  // The same for many times inside the last step: number pick[i] of y at t[k] goes to column[i][row + k], i < count.
  // lanes 1. NULL: not offered.
  void (*dense_rows)(Stepper *s, const double *t, int rows, bool with_sensitivities,
                     const int *pick, int count, double *const *column, int row);
  // The same of several lanes: pick[i] counts without lanes, its lane l goes to column[i*lanes + l]. The same picks in
  // all calls between two steps. NULL: not offered.
  void (*dense_lanes)(Stepper *s, const double *t, int rows, bool with_sensitivities,
                      const int *pick, int count, double *const *column, int row);
} StepperRow;

Stepper *stepper_new(Arena *a, const StepperRow *row, const Ode *ode, const Tolerance *tol);
void stepper_done(Stepper *s); // frees what the arena does not own; NULL is allowed

// Scaled error of e against the tolerances at max(|y0|, |y1|), the largest over lanes: of the states the largest, so that
// each is as accurate as it was asked for; of each column of sensitivities the root mean square, because single ones
// pass through 0 all the time. NaN when any number is. *worst: index into y without lanes.
double stepper_norm(const Stepper *s, const double *e, const double *y0, const double *y1,
                    int *worst);
