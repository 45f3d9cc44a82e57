// Makes expressions, simplified by rules that keep the value up to rounding.
#pragma once
#include "expr/expr.h"

Expr expr_make(Graph *g, Op op, Expr a, Expr b, Expr c); // unused arguments 0

Expr expr_add(Graph *g, Expr a, Expr b);
Expr expr_sub(Graph *g, Expr a, Expr b);
Expr expr_mul(Graph *g, Expr a, Expr b);
Expr expr_div(Graph *g, Expr a, Expr b);
Expr expr_neg(Graph *g, Expr a);
Expr expr_pow(Graph *g, Expr a, Expr b);
Expr expr_call(Graph *g, Op op, Expr a);
Expr expr_select(Graph *g, Expr condition, Expr yes, Expr no);

// Solution of a FACTOR block: n results, mostly SOLVED nodes; 1 x 1 systems become divisions. Returns the first.
Expr expr_solve(Graph *g, int factor, bool transposed, const Expr *right, Expr *results);
