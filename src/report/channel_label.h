// How pictures name what was measured.
#pragma once
#include "problem/problem.h"

const char *channel_label(Arena *a, const Channel *c);         // "x [m]"
const char *time_label(const Problem *p, const Experiment *x); // "time [s]", "time", "row"
// "What: problem.yaml", with the name of the experiment if there are several.
const char *experiment_title(Arena *a, const char *what, const Problem *p, int experiment);
