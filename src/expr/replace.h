// Replacing symbols and other expressions by expressions, again and again, at the cost of what is looked at only.
#pragma once
#include "expr/expr.h"

typedef struct Replacer Replacer;

Replacer *replacer_new(Graph *g, Arena *a);
// From now on symbol node `symbol` is replaced by `by`; what was replaced before is looked at anew.
void replacer_set(Replacer *r, Expr symbol, Expr by);
// As well for a node that is no symbol, for good; nothing may have been replaced before.
void replacer_hold(Replacer *r, Expr e, Expr by);
void replacer_clear(Replacer *r, Expr symbol);
Expr replace(Replacer *r, Expr e);
