// How the modes of a model depend on each other through their switching functions.
#pragma once
#include "expr/replace.h"
#include "model/model.h"
#include "num/pattern.h"

typedef struct ModeOrder {
  Pattern users; // by mode: the events whose switching functions contain it
  int *order;    // all events; where there is no loop, each behind those whose modes it contains
  bool curved;   // some switching function is not a straight line in time, states and inputs
} ModeOrder;

// Extends the graph of the model; its lock must be held.
ModeOrder mode_order(Model *m, Arena *a);
// Makes r replace unknowns by their solutions and modes by what they stand for, so that neither is left. Modes that depend
// on themselves stay where the loop is opened.
void replace_modes(Model *m, Arena *a, Replacer *r);
