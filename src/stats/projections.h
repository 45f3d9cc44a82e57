// Projections of the rows of an analysis.
#pragma once
#include "stats/analysis.h"

// The rows as the objective weighs them. held: unknowns that are taken as known; NULL: none.
RowSet analysis_rows(const Analysis *an, const bool *held);
// scale: of the rows; NULL: that of the objective.
Projection *project_rows(const Analysis *an, const bool *held, const double *scale);
// Sets projection, even, left, weighty.
void find_projections(Analysis *an);
