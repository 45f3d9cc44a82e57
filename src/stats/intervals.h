// Covariance, standard errors and 95 % intervals of the unknowns.
#pragma once
#include "stats/analysis.h"

// Of all unknowns, also of those that turn out to be undetermined later.
void find_intervals(Analysis *an);
void drop_intervals_of_undetermined(Statistics *s);
