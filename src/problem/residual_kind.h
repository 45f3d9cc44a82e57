// What option 'residual' makes of the recorded channels.
//
// simulation: they are compared as they are. prediction: each sample is predicted from the states at an earlier sample; those
// that have none there are left out. equation: a channel that is a state becomes its derivative, and the model computes
// that from the measured states.
#pragma once
#include "problem/problem.h"

// Makes channels and states of all experiments from what is recorded, in the arena. false: err names the state, channel or
// unknown that stands in the way.
bool residual_kind_apply(Problem *p, Arena *a, Err *err);
// Then divides their weights as option 'scale' says. false: err names a channel without a range.
bool residual_kind_scale(Problem *p, Arena *a, Err *err);

// What the residuals are, and where the states come from, in sentences; nothing for plain simulations.
void residual_kind_describe(const Problem *p, Text *out);

const char *state_origin_word(StateOrigin o); // "measured", ...
