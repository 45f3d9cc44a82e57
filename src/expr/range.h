// Bounds of an operator's value, given bounds of its operands.
#pragma once
#include <stdbool.h>

#include "expr/op.h"

typedef struct OpRange {
  double low, high;
} OpRange;

// Contains every value, but is not the smallest such range. `same`: both operands are one node. An end that is NaN is
// not known.
OpRange op_range(Op op, OpRange a, OpRange b, bool same);
