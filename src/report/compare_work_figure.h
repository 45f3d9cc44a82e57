// Pictures of a comparison besides that of the convergence: how the unknowns moved, and what each method cost.
#pragma once
#include "draw/figure.h"
#include "study/compare.h"

// Every unknown over the fair count, in the run with the median objective of each method. Lives in a. NULL: there is no trace.
Figure *compare_parameters_figure(Arena *a, const Compare *c);
// The fair count and the objective of each method. NULL: no method has a result.
Figure *compare_effort_figure(Arena *a, const Compare *c);
