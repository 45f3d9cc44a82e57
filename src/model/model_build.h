// From the tree of a model text to a Model.
#pragma once
#include "model/model.h"

// NULL and err on failure. The source must outlive the model.
Model *model_new(const Source *s, const AstModel *ast, const Override *overrides, int count,
                 Err *err);
