// States that are none at the present values of parameters.
#pragma once
#include "model/flat.h"

// i = C*der(v) with C = 0: v follows from other equations. Parameters that decide this cannot change later. Does nothing in a
// model without components. To be called before start values become parameters.
void drop_vanishing_states(Flat *f);
