// Text to tree: a recursive descent parser for Modelica.
#pragma once
#include "lang/class.h"

// NULL and err if the text does not follow the grammar. The tree lives in the arena.
AstFile *parse_file(Arena *a, const Source *s, Err *err);
// The whole text must be one expression: measured expressions, --set values.
const Ast *parse_expression(Arena *a, const Source *s, Err *err);
