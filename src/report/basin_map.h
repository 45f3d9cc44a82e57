// A picture of a basin study: each start in the colour of the optimum that its search reached.
#pragma once
#include "report/basin_shade.h"

// Two axes: a map of cells, or of spots for random starts. One axis: the objective reached over the start. More axes: a map
// over the first two, each cell with the most frequent outcome. Lives in a.
Figure *basin_map(const Basin *b, Arena *a);
