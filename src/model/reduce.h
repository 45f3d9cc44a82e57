// Index reduction: which equations have to be differentiated, and how often, so that the rest determines all derivatives.
#pragma once
#include "model/model.h"

// For a model whose equations and unknowns (listed, as many of each) have no perfect matching because constraints
// between states have to be differentiated (Pantelides). Equations that are redundant (NULL: none) are not
// differentiated: they become invariants, and stand among the equations in the place of what nothing determines.
// Replaces m->equations and m->unknowns by those that are solved, fills m->invariants (their residuals still contain
// unknowns) and m->index; *matching becomes perfect.
bool reduce_index(Model *m, Matching *matching, const unsigned char *redundant, Err *err);
