// Surfaces on which a motion may stay: the zeros of switching functions whose own relations turn the motion back to them
// from both sides, as those of sign(v) in a law of friction.
#pragma once
#include "model/model.h"

typedef struct Surfaces {
  int *of;    // by event: the event that stands for its surface, -1: none
  int *side;  // by event: 1 where its switching function has the sign of that event's, else -1
  int *row;   // by event that stands for a surface: its number, -1: none
  int *event; // by number
  int count;
  bool bends; // of a system: some equation or output is not linear in the modes of signs
} Surfaces;

// Relations with proportional switching functions share a surface (v > 0 and v < 0). Which of them can hold a motion is not
// asked here: count is 0. Extends the graph of the model; its lock must be held.
Surfaces surfaces_find(Model *m, Arena *a);

// Whether an expression of the list is of another form than a + sum b_i mode_i, where a and b contain none of these modes.
bool surfaces_bend(const Graph *g, Arena *scratch, const Expr *modes, int mode_count,
                   const Expr *list, int count);
