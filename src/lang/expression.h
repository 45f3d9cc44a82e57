// The grammar rules of expressions.
#pragma once
#include "lang/parser.h"

// Never NULL; after an error it may be any expression.
Ast *expression_read(Parser *p);
Ast *expression_read_simple(Parser *p); // without a leading if, as on the left side of an equation
// An empty node at the place of the next token, which is not taken.
Ast *expression_leaf(Parser *p, AstKind kind);
// name = NAME { "." NAME } as one text
const char *expression_read_name(Parser *p);
Ast *expression_read_iterator(Parser *p);
