// What the one-step methods share: how far to aim, what the error says about the next step, the
// first step.
#pragma once
#include "num/vec.h"
#include "simulate/stepper.h"

typedef struct ControlRule {
  int order;     // the error estimate falls with h^order
  double memory; // weight of the error before: h changes by error^(3/4 memory - 1/order) old^memory
  double safety; // of the proposal
  double slow, fast; // least and greatest change from one step to the next
} ControlRule;

typedef struct Control {
  const ControlRule *rule;
  const VecKernels *vec;
  double *abs_tol; // of each number of y
  double *squares; // scaled errors squared, of each number of y
  // Squared: of the states of each lane, and behind them (padded) of each column of sensitivities.
  double *errors;
  int errors_sens; // where those of the sensitivities begin
  // Of several lanes, by lane.
  double *errors_lane; // scratch
  double *saved;       // by how much the sum of its errors is smaller than it would be alone
  double *allowed;     // scaled error of the next step
  double by_usual;     // 1 / squared error that steps aim at
  double one_by_n;
  double span;          // |t_end - t| at the start
  double log_error_old; // log2 of the error of the last accepted step
  bool rejected;        // the last attempt was
} Control;

typedef struct Attempt {
  double h;
  bool last; // ends at the limit
} Attempt;

int control_count(const Ode *ode); // numbers in y

Control *control_new(Arena *a, const Ode *ode, const ControlRule *rule);
// Before the first step; slope is f(t, y). Chooses s->h_next; y_probe and slope_probe are scratch.
void control_start(Control *c, Stepper *s, double t_end, const double *slope, double *y_probe,
                   double *slope_probe);
static inline bool control_exhausted(const Stepper *s) {
  return s->tol.max_steps > 0 && s->count.steps + s->count.rejected >= s->tol.max_steps;
}
Attempt control_attempt(const Control *c, const Stepper *s, double limit);

// What counts of c->squares (or of others of the same shape): the largest of the states, the mean of each column of
// sensitivities.
static inline void control_columns(const Control *c, const Ode *ode, const double *squares,
                                   double *errors) {
  c->vec->column_largest(squares, ode->n, ode->lanes, errors);
  if (ode->ns == 0) return;
  int width = ode->stride * ode->lanes;
  double *sens = errors + c->errors_sens;
  c->vec->column_sums(squares + ode->n * ode->lanes, ode->n, width, sens);
  for (int i = 0; i < width; i++) sens[i] *= c->one_by_n;
}
// The same norm as stepper_norm, of e with the end value y1; fills c->squares. NaN when any number
// is.
double control_norm(Control *c, const Stepper *s, const double *e, const double *y1);
// The root of the largest of the errors; NaN when any is.
double control_worst(const Control *c, const Ode *ode, const double *errors);

// The same of several lanes after a step of size h, whose errors are in units of 1/h; fills s->lane_error.
double control_worst_lane(const Control *c, Stepper *s, const double *errors, double h);

// After an accepted step of size h: counts it and proposes h_next. The caller has moved t and y.
void control_accept(Control *c, Stepper *s, Attempt a, double error);
// After a rejected one: s->h_next is smaller; STEP_DONE means try again. broken: a vector of the
// shape of y that is not finite, NULL when everything could be computed.
StepEnd control_reject(Control *c, Stepper *s, Attempt a, double error, const double *broken);

bool control_finite(const double *v, int count);
// x^exponent to four digits for finite x > 0, the same on every machine (pow is not, and takes
// longer).
double control_power(double x, double exponent);
