// Numbers for expressions at one point near the start: what is 0 only by chance of the start values is not 0 here.
#pragma once
#include "model/model.h"

typedef struct Probe Probe;

// Time, inputs and the unknowns and states of the model are near their start attributes; everything else is NaN until it
// is set. spread: relative change of the parameters, 0: as in the text. Points of different numbers differ.
Probe *probe_new(Model *m, Arena *a, double spread, int number);
// The value of derivative `order` of a variable, whose symbol this is.
void probe_set(Probe *p, Expr symbol, int variable, int order);
void probe_put(Probe *p, Expr symbol, double value);
// NaN: it cannot be computed here. The graph may have grown.
double probe_value(Probe *p, Expr e);
