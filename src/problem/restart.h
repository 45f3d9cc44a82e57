// Restart points: the time until which no unknown acts on an experiment, so that the motion until then is the same for all
// their values.
#pragma once
#include "problem/problem.h"

// Since the origin of the experiment; NaN: there is none, or it is not worth it. Until then neither motion nor measured samples
// depend on an unknown: proved from the equations, or stated by the user and then checked by restart_check.
double restart_time(const Problem *p, int experiment);

// What the user states in the experiments: where it cannot be proved, sensitivities at the start values must be 0 there. false:
// *experiment and a sentence in `why`.
bool restart_check(const Problem *p, int *experiment, char *why, size_t size);
