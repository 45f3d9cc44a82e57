// Models made from a model: with more parameters, with free start values. They share the graph of the first and live as
// long as it does; lists of parameters and variables are their own.
#pragma once
#include "model/model.h"

// A new independent parameter, for what a problem adds to a model (gain of a sensor, start values). Returns its number.
// Only before the first System of the model is made.
int model_add_parameter(Model *m, const char *name, double value);

// The same model with the states starting at parameters of their own: that of state i has the number *first + i. Start
// equations and start values of the text no longer count. Where the model has invariants, it starts at the nearest states
// that satisfy them. Lives as long as m.
Model *model_with_free_start(Model *m, int *first);

// A model of its own that shares everything with m; for transformations such as couple.h. Lives in the arena.
Model *model_copy(const Model *m, Arena *a);
