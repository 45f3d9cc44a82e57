// Which variables of components are states.
#pragma once
#include "model/flat.h"

// Components say der() of variables that connections make equal, or that are sums of others: s_rel = b.s - a.s. Of
// variables that are related by linear equations only as many stay states as are free; the derivatives of the others
// follow. Does nothing in a model without components. To be called before start values become parameters.
void choose_states(Flat *f);
