// Constraints between the estimated numbers, ready to be evaluated: a short list of operations of their own, so that
// nobody looks into the graph of the model later. Inside this layer only.
#pragma once
#include "problem/problem.h"

typedef struct ConstraintRow {
  ExprNode *nodes; // in order of evaluation; SYMBOL: a is the number of the free one
  int count;
  int value; // node
  int slope_count;
  int *slope;  // nodes
  int *number; // the free number that each is the slope by
} ConstraintRow;

typedef struct ConstraintLeaf { // what a symbol stands for
  Expr symbol;
  int number; // of problem->unknowns, -1: a known value
  double value;
} ConstraintLeaf;

// Slopes by the leaves that have a number, unless without_slopes.
ConstraintRow constraint_row(Arena *a, Graph *g, Expr e, const ConstraintLeaf *leaves, int count,
                             bool without_slopes);
// x: the free numbers. NaN where it cannot be computed.
double constraint_row_value(const ConstraintRow *row, const double *x);
// Whether both compute the same by the same operations.
bool constraint_rows_equal(const ConstraintRow *a, const ConstraintRow *b);
// Whether it is linear: all slopes are constant.
bool constraint_is_linear(const ConstraintRow *row);
// Bounds of its value while the numbers are inside theirs; infinite where nothing is known.
void constraint_range(const ConstraintRow *row, const Unknown *free, double *low, double *high);
