// The sorted equations of a model, block by block in the order of computation.
#pragma once
#include "base/text.h"
#include "model/model.h"

void model_equations(Text *out, Model *m); // extends the graph of the model
