// Replaces symbols and other nodes by expressions. A replacer can be used many times; each use costs only the nodes that it
// visits.
#pragma once
#include "expr/expr.h"

typedef struct Replacer Replacer;

Replacer *replacer_new(Graph *g, Arena *a);
// From now on symbol node `symbol` is replaced by `by`; earlier results are computed again.
void replacer_set(Replacer *r, Expr symbol, Expr by);
// The same for any node, permanently; call it before the first replace().
void replacer_hold(Replacer *r, Expr e, Expr by);
void replacer_clear(Replacer *r, Expr symbol);
Expr replace(Replacer *r, Expr e);
