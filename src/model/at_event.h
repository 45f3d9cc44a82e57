// The equations at an event, where pulses (flat.h) are what they say: values of discrete variables, jumps of states.
#pragma once
#include "expr/replace.h"
#include "model/model.h"

// Makes the live parts of a model whose motion is solved. Nothing to do without discrete variables.
bool live_solve(Model *m, Err *err);
// Replaces pulses by their values at an event.
Replacer *live_pulses(const Model *m, Arena *a);
// The same at the start: initial() is true, all others are false.
Replacer *live_pulses_at_start(const Model *m, Arena *a);
