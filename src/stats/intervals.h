// Covariance, standard errors and 95 % intervals of the unknowns.
#pragma once
#include "stats/analysis.h"

// held: unknowns that are taken as known; NULL: none. scale: of the rows; NULL: that of the objective.
Projection *project_rows(const Analysis *an, const bool *held, const double *scale);
// Of all unknowns, also of those that turn out to be undetermined later.
void find_intervals(Analysis *an);
void drop_intervals_of_undetermined(Statistics *s);
