// NEWTON blocks for compilation: residuals and Jacobian of a block as functions of its own symbols.
#pragma once
#include "expr/expr.h"

// Fills inside (n residuals, then n*n derivatives by the unknowns, by rows) and inside_inputs. There a symbol stands for each
// input. Otherwise the derivatives could take an input apart (-(a - b) is b - a) and need a and b, which are not passed in.
void newton_inside(Graph *g, int block);
