// NEWTON blocks for differentiation and compilation: what goes in, and their linear form at the solution.
#pragma once
#include "expr/expr.h"

// Fills inputs and input_count: the expressions free of unknowns that the residuals use. Makes no nodes.
void newton_inputs(Graph *g, int block);
// Fills inside (n residuals, then n*n derivatives by the unknowns, by rows) and inside_inputs. There a symbol stands for each
// input. Otherwise the derivatives could take an input apart (-(a - b) is b - a) and need a and b, which are not passed in.
void newton_inside(Graph *g, int block);
// Fills by_input and factor_at_solution.
void newton_linearise(Graph *g, int block);
