// Growing horizon: fit the first stretch of the data, then more and more of it. It needs no feedback, and succeeds with hidden
// states that no feedback can make follow.
#pragma once
#include "search/search.h"

// Starts at x, which is not changed, with the share `first` of the data; ends the stage that has begun. True: a certain result
// was found.
bool horizon_grow(Search *s, const double *x, double first);
