// Smooth laws in place of relations that hold a motion: tanh(w/width) for sign(w), and the same blend of both sides for
// relations on w.
#pragma once
#include "model/model.h"

typedef struct Soft {
  int event;    // its switching function is w; all events with the same zero become smooth with it
  double width; // > 0
} Soft;

// A copy of the model with these, in the arena; `more` are expressions of m that follow. Each copy adds to the graph of m. NULL:
// the model has discrete variables, or solves equations with these relations by iteration.
Model *model_softened(Model *m, Arena *a, const Soft *softs, int count, Expr *more, int more_count);
