// The rule table of differentiation: partial derivatives of every operator.
#pragma once
#include "expr/expr.h"

Expr expr_partial(Graph *g, Expr e, int i);        // of node e by its argument number i
Expr expr_chain(Graph *g, Expr outer, Expr inner); // the product of two derivatives
Expr expr_join(Graph *g, Expr a, Expr b);          // the sum of two
