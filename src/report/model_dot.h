// The structure of a model as a graph for Graphviz: which block needs what.
#pragma once
#include "base/text.h"
#include "model/model.h"

void model_dot(Text *out, Model *m);
