// Constraints on the unknowns, ready to be evaluated: each has its own short list of operations, so that the graph of the
// model is not needed later. Private to this layer.
#pragma once
#include "problem/problem.h"

typedef struct ConstraintRow {
  ExprNode *nodes; // in order of evaluation; SYMBOL: a is the number of the unknown
  int count;
  int value; // node
  int slope_count;
  int *slope;  // nodes
  int *number; // the unknown of each slope
} ConstraintRow;

typedef struct ConstraintLeaf { // the meaning of a symbol
  Expr symbol;
  int number; // of problem->unknowns, -1: a known value
  double value;
} ConstraintLeaf;

// With slopes by all unknowns in it, unless without_slopes.
ConstraintRow constraint_row(Arena *a, Graph *g, Expr e, const ConstraintLeaf *leaves, int count,
                             bool without_slopes);
// x: the unknowns. NaN: it cannot be computed.
double constraint_row_value(const ConstraintRow *row, const double *x);
// Whether both compute the same with the same operations.
bool constraint_rows_equal(const ConstraintRow *a, const ConstraintRow *b);
// Whether it is linear: all its slopes are constant.
bool constraint_is_linear(const ConstraintRow *row);
// Bounds of its value while the unknowns are inside their bounds; infinite if nothing is known.
void constraint_range(const ConstraintRow *row, const Unknown *free, double *low, double *high);
