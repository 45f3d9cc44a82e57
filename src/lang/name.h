// Names of flat models. A path such as car.wheel[2].om is written without quotes everywhere but in a model text, where it
// is the quoted name 'car.wheel[2].om'.
#pragma once
#include <stdbool.h>

#include "lang/ast.h"

bool name_is_plain(const char *name); // a name of letters, digits and _ that is no reserved word
bool name_is_path(const char *name);  // plain or quoted names with dots and [numbers]
// 'a.b[1]' in quotes becomes a.b[1], and 'x' becomes x. Other quoted names stay as they are.
const char *name_unquoted(Arena *a, const char *name);
// The path that a.b[2].c is; NULL: a subscript is no number, or it is another expression.
const char *name_of_tree(Arena *a, const Ast *e);
