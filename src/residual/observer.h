// The observer "y": gains from every channel into every state, designed for one start of a search by a Riccati equation along
// the motion there. It reaches hidden states, which the feedback "pd" leaves to themselves. Its noise is that of a model
// that may be wrong in every equation: no bounds, spreads or units enter.
#pragma once
#include "residual/budget.h"
#include "residual/observer_equations.h"

// Gains for a search that starts at x, in the arena; x: the unknowns of the problem. The budget counts the passes of the
// design as simulations; NULL: nobody counts. NULL: there are none, *why says in a sentence why.
const FeedbackGains *observer_design(const Observer *o, Arena *a, const double *x, Budget *budget,
                                     const char **why);
