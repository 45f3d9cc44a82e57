// Samples within the delay of a sensor behind the start: a simulation has nothing before its start and shows its start value there.
// That is right for a motion that begins at rest, and wrong for one that was already going on.
#pragma once
#include "stats/analysis.h"

// How many samples of a channel are compared with the start value although the data show that the motion had been going on, by
// more than the noise; 0 where none is, or where it does not matter. error: model - data, by sample.
int held_samples(const Experiment *x, const Channel *c, double delay, const double *error,
                 double noise);
void find_held_samples(Analysis *an);
// What to do so that a channel has none: a part of a sentence.
const char *held_remedy(Arena *a, const Problem *p, const StatChannel *s);
// A sentence about all channels that have some; NULL: none has.
const char *held_remark(Arena *a, const Problem *p, const Statistics *s);
