// When a result is certain: the free model follows the data exactly, or what is left is as small as the noise of the data and
// shows no pattern. Noise is estimated from differences of the data, or given as sigma. Certain results end a search early.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

// An objective over this part of the data that is small enough to go on from.
double certificate_floor(const Weighting *w, double horizon);
// The objective at or below which a result over all data may be certain.
double certificate_limit(const Weighting *w);
bool certificate_samples_are_few(const Problem *p); // too few to tell anything of noise
// Whether the noise of the data can be told from their motion.
bool certificate_noise_is_known(const Weighting *w);
// Whether the objective is no more than errors of simulation and interpolation.
bool certificate_is_exact(const Weighting *w, double objective);
// Whether this result is certain: x and its objective over all data (pieces: of x, or NULL). Simulates to see the residuals;
// of the spec, weighting, budget and step_limit count.
bool certificate_holds(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces, const double *x,
                       double objective);

// Write into r->why, why a result is certain (by: the part that found it), or why it is not.
void certificate_explain(FitResult *r, const Weighting *w, const char *by, double objective);
void certificate_explain_doubt(FitResult *r, const Weighting *w, const double *x, double objective);
