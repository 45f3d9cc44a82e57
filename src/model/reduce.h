// Index reduction: which equations have to be differentiated, and how often, so that the rest determines all derivatives.
#pragma once
#include "model/model.h"

// For a model whose equations and unknowns (listed, as many of each) have no perfect matching because constraints between
// states have to be differentiated (Pantelides). Replaces m->equations and m->unknowns by those that are solved, fills
// m->invariants (their residuals still contain unknowns) and m->index; *matching becomes perfect. Which typed equations are
// redundant is told by `redundant` (by typed equation, NULL: none).
bool reduce_index(Model *m, Matching *matching, const unsigned char *redundant, Err *err);
