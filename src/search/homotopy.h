// Homotopy: the model is coupled to the data by a feedback, which makes the objective almost convex; it is fitted, then the
// feedback is loosened to zero.
#pragma once
#include "search/search.h"

// Both start at x, which is not changed, and end the stage that has begun. True: a certain result was found.
//
// Fits the coupled model, then the free one from there; where that does not reach the noise floor, lambda is halved first.
// strength: of the feedback; halvings: at most so many.
bool homotopy_auto(Search *s, const double *x, double strength, int halvings);
// The ladder of the papers: lambda = 1, 1 - step, ..., 0; each until the objective is below eps.
bool homotopy_paper(Search *s, const double *x);
