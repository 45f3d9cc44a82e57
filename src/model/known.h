// Parameters with fixed = false that need no initial system.
#pragma once
#include "base/arena.h"
#include "lang/ast.h"

// Boolean and Integer parameters with fixed = false have their value from an initial equation p = ... of parameters, and
// so have those that it contains. These become the values of their declarations. The model itself if it has none of them.
const AstModel *with_known_parameters(Arena *a, const AstModel *m);
