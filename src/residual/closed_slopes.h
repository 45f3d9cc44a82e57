// How slopes of a closed model are made by differences of whole runs: sizes, bounds and steps of the unknowns. The steps are chosen
// once, at the start values of the problem, so that results do not depend on which search needs them first.
#pragma once
#include "residual/budget.h"
#include "residual/compiled_model.h"
#include "simulate/closed.h"

// At the point x; the arena owns the result. inputs and times: of the first experiment.
const ClosedSlopes *closed_slopes_at(Arena *a, const CompiledModel *m, const double *x,
                                     Budget *budget);
