// Text to tree: a recursive descent parser for one flat Modelica model.
#pragma once
#include "lang/ast.h"
#include "lang/source.h"

// NULL and err if the text does not follow the grammar. The tree lives in the arena.
const AstModel *parse_model(Arena *a, const Source *s, Err *err);
// The whole text must be one expression: measured expressions, --set values.
const Ast *parse_expression(Arena *a, const Source *s, Err *err);
