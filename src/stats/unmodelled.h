// What a model misses: terms that would explain residuals which noise does not.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"
#include "stats/statistics.h"

// Fills s->unmodelled with the one or two terms that explain most, if any does so beyond chance. One simulation with slopes; if that shows no more than
// a suspicion, a fit of at most 40 with the most suspicious term.
void find_unmodelled(const FitResult *r, const Weighting *weighting, EvalWork *w, Statistics *s);
