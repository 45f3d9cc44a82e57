// The picture of a basin: cells (or spots, of random starts) in the colour of the optimum that the search from there found.
#pragma once
#include "report/basin_shade.h"

// Two axes: a map; one axis: the objective that was reached over the start. More axes: a map over the first two, each cell
// with the most frequent outcome. Lives in a.
Figure *basin_map(const Basin *b, Arena *a);
