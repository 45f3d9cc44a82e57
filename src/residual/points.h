// Objectives of many points at once: on all cores, several in the lanes of one simulation where the integrator can.
#pragma once
#include "residual/objective.h"

typedef struct Points Points;

// Evaluates as the objective does when it is asked.
Points *points_new(Objective *o);
void points_free(Points *p);
// V[k] of the rows of n natural numbers, HUGE_VAL where it cannot be simulated. LSQ_STOP: the budget or the listener ended it;
// V is then HUGE_VAL where nothing was computed. Work is counted by the objective.
LsqEnd points_values(Points *p, const double *x, int count, double *V);
