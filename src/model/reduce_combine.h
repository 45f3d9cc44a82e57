// Index reduction: constraints that are hidden in equations which depend on one another.
#pragma once
#include "model/reduce_nodes.h"

// After the algorithm of Pantelides: a combination of equations that is free of what they seem to determine, and the typed
// equation that it can stand for. false: there is none.
bool find_hidden_equation(Reducer *r, int *typed, Expr *residual);
// Whether each equation finds a variable of its own, differentiated or not: else no differentiation helps.
bool can_be_reduced(Reducer *r);
