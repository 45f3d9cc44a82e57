// Rules that make an expression simpler when it is made. Each keeps its value up to rounding.
#pragma once
#include "expr/expr.h"

// true: *out is the simpler form of op(a, b, c).
bool simplify(Graph *g, Op op, Expr a, Expr b, Expr c, Expr *out);
