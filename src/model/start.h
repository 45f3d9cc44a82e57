// Start values: from fixed values, initial equations and invariants.
#pragma once
#include "model/model.h"

// Fills m->x0, m->mode0, m->initial, m->conditions.
bool find_start(Model *m, Err *err);
