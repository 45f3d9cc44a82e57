// Models made from the sensitivities of a model, from which second derivatives follow.
//
// Forward: the sensitivities become states, so that those of a System of that model are of second order. Adjoint:
// states and sensitivities become inputs; what is integrated backwards along a simulation is a single vector mu. Both
// share the graph of the model and live as long as it does. Neither holds across an event (or a kink inside noEvent)
// that the states or the parameters move: sensitivities jump there.
#pragma once
#include "model/model.h"

typedef struct Augmented {
  struct Augmented *next; // another one of the same model
  const Model *of;
  int *parameters; // independent ones
  int count;
  int *column; // by parameter: its column of S, -1: it moves no state
  int columns;
  // By column: a parameter that it is multiplied with, so that it has the size of the states. Never 0.
  int *scale;
  Model *model; // states [x, S by columns]
} Augmented;

// Equal ones are made once.
const Augmented *model_with_sensitivities(Model *m, const int *parameters, int count);
// Of expressions of m, as expressions of the augmented model. k: position in parameters. The lock of the model must be
// held.
void augmented_slopes(const Augmented *a, const Expr *e, int count, int k, Expr *slopes);

// mu' = -f_x' mu, from the end to the start of a simulation, where the caller adds to mu the weights of x. The
// weighted sum of the second derivatives of x by two parameters is then the integral of mu (f_xx S_k S_l + f_xp_l S_k +
// f_xp_k S_l + f_p_kp_l), plus mu x0_p_kp_l at the start.
typedef struct Adjoint {
  struct Adjoint *next;
  const Model *of;
  int *parameters;
  int count;
  int *column; // by parameter: its column of S, -1: it moves no state
  int columns;
  Model *model;         // states mu
  int first_x, first_S; // inputs behind those of the model: x, S[i*columns + k]
  // By pair of columns k <= l, row k of the triangle after row k - 1: what is integrated, and what the start adds.
  Expr *integrand, *at_start;
  bool start_matters; // some at_start is not 0
} Adjoint;

const Adjoint *model_adjoint(Model *m, const int *parameters, int count);
// Of expressions of m (or of slopes of them: S is then held), as expressions of the adjoint model. The lock of the model
// must be held.
void adjoint_slopes(const Adjoint *a, const Expr *e, int count, int k, Expr *slopes);

// Derivative by time along the motion of expressions of m, in terms of the derivatives of inputs as `symbols` (m itself, or
// a model made from it) has them. The lock of the model must be held.
void model_rates(const Model *m, Model *symbols, const Expr *e, int count, Expr *rates);

// Conditions at whose change (from 0 to 1, or to another whole number) the motion is not smooth, although there is no
// event: what noEvent computes without events. Only those that the states or these parameters move. The lock of the
// model must be held. Lives in the arena; returns how many.
int model_kinks(Model *m, Arena *a, const int *parameters, int count, Expr **kinks);
// The first event that the states or these parameters move, -1: none.
int model_moved_event(Model *m, const int *parameters, int count);
