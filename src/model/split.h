// e = slope*u + rest: what an expression is, where it is linear in a symbol.
#pragma once
#include "expr/expr.h"

typedef struct Splitter Splitter;

Splitter *splitter_new(Graph *g, Arena *a); // keeps both
// Never looks into e again, which contains no symbol that it will be asked for. Solutions contain solutions: looking into
// them again and again would take quadratic time.
void splitter_skip(Splitter *s, Expr e);
// Both free of u; false when e is not linear in u.
bool split(Splitter *s, Expr e, Expr u, Expr *slope, Expr *rest);
