// What the residuals of a result say by themselves: whether they are as small as the noise of the data, and whether they look
// like noise. Noise is estimated from differences of the data, or given as sigma.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

// An objective over this part of the data that is small enough to go on from.
double certificate_floor(const Weighting *w, double horizon);
// The objective above which the noise test cannot hold, without priors.
double certificate_limit(const Weighting *w);
// How many times its own variance noise explains over all samples together.
double certificate_allowance(const MeasuredData *d);
bool certificate_samples_are_few(const Problem *p); // too few to tell anything of noise
// Whether the noise of the data can be told from their motion, and what fits it from what does not.
bool certificate_noise_tells(const Weighting *w);
// Whether the objective is no more than errors of simulations.
bool certificate_is_exact(const Weighting *w, double objective);
// Objective of the errors that simulations may have: what is below is exact.
double certificate_numerical_floor(const Weighting *w);

// The facts of a result: x and its objective over all data (pieces: of x, or NULL). Simulates to see the residuals; of the
// spec, weighting, budget and step_limit count.
FitFacts certificate_facts(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces,
                           const double *x, double objective);
// Whether nothing but noise is left: exact, or noise and white hold, and no term is known to be missing.
bool certificate_fits(const FitFacts *f);
// The same for a result that is worth a simulation only if its objective is small enough.
bool certificate_holds(EvalWork *w, const EvalSpec *spec, const FitPieces *pieces, const double *x,
                       double objective, FitFacts *facts);
