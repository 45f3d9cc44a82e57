// Homotopy: the model is coupled to the data by a feedback, which makes the objective almost convex; it is fitted, then the
// feedback is loosened to zero.
#pragma once
#include "search/search.h"

typedef struct HomotopyPlan {
  double strength;      // of the feedback "pd"
  int halvings;         // of lambda at most
  bool second_observer; // "y" is tried where "pd" misses the noise floor, see observer.h
} HomotopyPlan;

// One fit of the coupled model and one of the free model from there: for searches that only confirm another.
#define HOMOTOPY_ONCE ((HomotopyPlan){.strength = 1})

// Both start at x, which is not changed, and end the stage that has begun. True: a certain result was found.
//
// Fits the coupled model, then the free one from there. Where the coupled model misses the noise floor, the second observer
// follows, then lambda is halved with the better one; where it reaches the floor, a weaker feedback would not help.
bool homotopy_auto(Search *s, const double *x, const HomotopyPlan *plan);
// The ladder of the papers: lambda = 1, 1 - step, ..., 0; each until the objective is below eps.
bool homotopy_paper(Search *s, const double *x);
