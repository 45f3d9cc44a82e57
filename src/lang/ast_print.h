// Prints a tree as Modelica text that parses to the same tree.
#pragma once
#include "base/text.h"
#include "lang/ast.h"

void ast_print(Text *out, const Ast *e);
void ast_print_model(Text *out, const AstModel *m);
// A name of a flat model as Modelica writes it: paths and reserved words in quotes.
void ast_print_name(Text *out, const char *name);
