// A picture of the optima that confirming searches ended at.
#pragma once
#include "draw/figure.h"
#include "search/fit_result.h"

// How much worse each fits than the best over its distance from it, with areas by the number of searches. NULL: there are not
// two. Lives in a.
Figure *optima_figure(Arena *a, const FitResult *r);
// The distance: root mean square, over the unknowns, of differences as parts of their bounds, on the scale they are searched
// on; where there are no bounds, as parts of the spread of all optima.
double optimum_distance(const FitResult *r, int k);
