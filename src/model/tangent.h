// Directions in which the states of a model can be pushed without leaving its invariants.
#pragma once
#include "model/model.h"

typedef struct Tangent Tangent;

// NULL when the model has no invariants: every direction is free. The lock of the model must be held, also for the others.
Tangent *tangent_new(Model *m, Arena *a);

typedef struct TangentPush {
  const Expr *direction; // by state
  Expr signal;           // what it is multiplied with
  // Where less than this part of the direction lies along the invariants, it is not magnified.
  Expr slack;
} TangentPush;

// The sum of pushes along the invariants. Each is as strong as it must be for the states to move in its direction as they
// would without invariants, as nearly as these and the other pushes allow. What has to follow is shared among the states by
// their nominal sizes: positions first, then rates; a push of rates alone moves no position. push: by state.
void tangent_push(Tangent *t, const TangentPush *list, int count, Expr *push);
// The part of a direction, 0 to 1, that lies along the invariants.
Expr tangent_freedom(Tangent *t, const Expr *direction);

bool tangent_is_pure(const Tangent *t,
                     const Expr *direction); // it pushes positions only, or rates only

// Square of the nominal size of a state, what directions are compared with.
double tangent_weight(const Model *m, int state);
