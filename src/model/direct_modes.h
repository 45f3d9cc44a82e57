// The model as if all its relations stood in noEvent: modes are what the present states make them.
#pragma once
#include "expr/replace.h"
#include "model/model.h"

// Replaces the modes of the model. The lock of the model must be held, also while it is used. Lives in the arena.
Replacer *direct_modes(Model *m, Arena *a);
