// Smooth transitions in place of events at which the equations jump. A model that is pushed by a feedback may be driven
// back and forth across such an event without end, where the free model would pass it.
#pragma once
#include "model/model.h"

typedef struct Blend {
  Expr switching; // the event was its zero
  int width;      // parameter: the transition begins and ends where |switching| is this; > 0
} Blend;

typedef struct Jumping { // expressions that may jump besides the derivatives of states
  Expr *more;            // they become smooth, too
  int more_count;
  const Expr
      *pushes; // what a feedback multiplies: its direction turns at a kink of what is measured
  int push_count;
} Jumping;

// Changes model m: events that states move and at which derivatives of states or these expressions jump are taken away, and
// all pass from one side to the other within the width of the blend, with continuous slopes. Events without a jump stay.
// of: the model that m is a copy of, with the same events. The lock of the model must be held. Returns how many, *blends: in
// the arena of the model.
int blend_jumps(Model *of, Model *m, const Jumping *j, Blend **blends);
void blend_remove_events(Model *m,
                         const bool *gone); // by event; of a model_copy, whose list becomes its own
