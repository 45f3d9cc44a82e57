// Second derivatives by the adjoint: the weights of the samples go backwards along the simulation as one vector mu. Since the
// sensitivities are known along it, products of mu, the second derivatives of f and the sensitivities add up to the sum over
// samples of weight times second derivative: n + 1 columns forward, one backward.
#pragma once
#include "residual/second_order.h"

typedef struct AdjointWay AdjointWay; // compiled models and scratch

typedef enum AdjointEnd {
  ADJOINT_DONE,
  ADJOINT_FAILED,      // see s->why
  ADJOINT_USE_FORWARD, // there is nothing to go back along, or there are events on the way
} AdjointEnd;

// Adds to s->sum for one experiment at s->p. *way: NULL at first.
AdjointEnd adjoint_sum(AdjointWay **way, SecondOrder *s, int experiment);
void adjoint_free(AdjointWay *w); // NULL is allowed
