// The structure of a model as a Graphviz graph: which block needs which values.
#pragma once
#include "base/text.h"
#include "model/model.h"

void model_dot(Text *out, Model *m);
