// Expressions in the names of a closed simulator, which may be any text: body.m, outputs[1], der(x), 'volume@INJ01'.
#pragma once
#include "model/flat.h"

// A text that is the name of a variable is that variable; quoted names lose their quotes; der(x) is the variable of that name. NULL
// and err if it is none of these and no expression.
const Ast *closed_expression(Arena *a, const Flat *f, const Source *s, Err *err);
const char *closed_name_unquoted(Arena *a, const char *name); // 'x' as x; others as they are
