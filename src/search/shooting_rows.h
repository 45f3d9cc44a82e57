// Residuals and slopes of a result that multiple shooting found.
#pragma once
#include "residual/weighting.h"
#include "search/fit_result.h"

// As evaluate_rows, but simulates the pieces from their states. Slopes are those of the whole motion: when an unknown changes,
// the states of all pieces follow, so that the gaps stay closed. Motion that magnifies changes would carry such slopes away to
// where they say nothing; therefore gaps may open by a little that hardly any data would show (see shooting_rows.c), and every
// piece but the last of an experiment adds a block of channel -1 with what its gap does: nx rows, first = piece*nx. Their
// scale makes a gap of that size weigh as much as a typical residual. sigma: by channel of all experiments.
bool shooting_rows(const Problem *p, const FitPieces *pieces, const double *sigma, const double *x,
                   ResidualSink *sink, void *data);
