// Second derivatives forward in time: the sensitivity equations are themselves a model, whose sensitivities are the second
// derivatives of the outputs; (n + 1)^2 columns are integrated.
#pragma once
#include "residual/second_order.h"

typedef struct ForwardWay ForwardWay; // compiled model and scratch

// Adds to s->sum for one experiment at s->p. *way: NULL at first. false: the simulation failed, see s->why.
bool forward_sum(ForwardWay **way, SecondOrder *s, int experiment);
void forward_free(ForwardWay *w); // NULL is allowed
