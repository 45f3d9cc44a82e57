// Factor, standard error and interval by the covariance of every curve; threshold and degrees of freedom.
#pragma once
#include "residual/evaluate.h"
#include "study/profile.h"

// The weighting is that with which the statistics were made.
void profile_measure(Profile *p, EvalWork *w, const Weighting *weighting);
