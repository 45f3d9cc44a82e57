// The comparators must be correct programs: their Jacobians and variational equations against central differences of
// their right-hand sides.
#pragma once
#include "hand/hand.h"

// The largest difference, relative to the largest entry, at several points; not above about 1e-7 when all is right.
double hand_check(const HandModel *m);
