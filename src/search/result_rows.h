// Residuals of a result: by one simulation, or in the pieces of multiple shooting.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

// As evaluate_rows; pieces: of the result at x, or NULL. Pieces always come with slopes. false: see result_why.
bool result_rows(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces, const double *x,
                 ResidualSink *sink, void *data);
const char *result_why(const EvalWork *w, const FitPieces *pieces); // why the last one failed
// The weighting with estimated sigmas as the residuals of the result have them; see weighting_from_residuals.
Weighting *result_weighting(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces,
                            const double *x, double *change);
