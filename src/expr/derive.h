// Exact derivatives of expressions from the rule table in partial.h: rows of a Jacobian, and derivatives in a direction
// (with the first: second derivatives).
#pragma once
#include "expr/expr.h"

// Sparse rows: derivative of output i by the symbols of interest.
typedef struct Derivatives {
  int rows;
  int *start;  // rows + 1
  int *column; // number of the symbol of interest, ascending in a row
  Expr *value;
} Derivatives;

// Derivatives of each output by each symbol node in `by` (count columns); zeros are left out. Lives in the arena.
Derivatives derive_rows(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by,
                        int columns);

// The same as a matrix by rows, zeros included: dense[i*columns + j]. `a` is for scratch.
void derive_dense(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by, int columns,
                  Expr *dense);

// Derivative of each expression in a direction: seed[s] is the derivative of symbol node by[s]. results[i] may be the
// constant 0.
void derive_direction(Graph *g, const Expr *outputs, int rows, const Expr *by, const Expr *seed,
                      int columns, Expr *results);

// Derivative by one symbol.
Expr derive(Graph *g, Expr e, Expr symbol);
