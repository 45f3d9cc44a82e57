// The feedback of a coupled closed model as a Tie: what its f adds to the slopes of the simulator's states.
#pragma once
#include "closed/tie.h"
#include "model/system.h"

typedef struct TieBuild {
  Tie tie;        // but for signals and numbers of parameters
  int *parameter; // by parameter of the tie: that of the model; -1: the origin of time
  int *input;     // by signal: the input of the model
  Lowered *lowered;
} TieBuild;

// variable_of: by state of the model: the variable of the simulator, -1: a state of the feedback. columns: parameters of the model
// whose slopes are wanted. NULL: f is 0, the model is not coupled. Lives in the arena; tie_build_done frees what does not.
TieBuild *tie_build(Arena *a, Model *m, const int *variable_of, const int *columns, int count);
void tie_build_done(TieBuild *b); // NULL is allowed
