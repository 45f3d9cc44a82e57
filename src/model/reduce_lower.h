// Index reduction: which equations determine the derivatives below the highest.
#pragma once
#include "model/reduce_nodes.h"

// Assigns each derivative below the highest that is no state to an equation that is not the last of its kind. false: some
// find none.
bool match_lower(Reducer *r);
