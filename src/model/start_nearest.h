// Start values of a model with constraints; and what all start values have in common.
#pragma once
#include "model/model.h"

// Fills m->x0, m->mode0, m->initial, m->conditions.
void find_nearest_start(Model *m);

// Places of initial equations and of start values, behind those of the equations of the motion.
int rank_of_initial(const Model *m, int i);
int rank_of_start(const Model *m, int variable);
// A state whose start value is looked for.
SortUnknown start_unknown(const Model *m, int variable);
