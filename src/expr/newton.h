// NEWTON blocks for differentiation and compilation: what goes in, and their linear form at the solution.
#pragma once
#include "expr/expr.h"

// Fills inputs and input_count: the expressions free of unknowns that the residuals use. Makes no nodes.
void newton_inputs(Graph *g, int block);
// Derivatives of the residuals by the unknowns, n*n by rows, in terms of the unknown symbols.
Expr *newton_jacobian(Graph *g, Arena *a, int block);
// Fills by_input and factor_at_solution.
void newton_linearise(Graph *g, int block);
