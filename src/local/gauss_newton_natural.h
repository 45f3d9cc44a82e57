#pragma once
#include "local/local.h"

// Gauss-Newton damped by the natural monotonicity test; needs lsq->residuals. false: the residuals are too large for whole
// steps to contract, and result->best is where a method that looks at the objective should go on.
bool gauss_newton_natural(const Lsq *lsq, const LocalOptions *options, LocalResult *result);
