// Units of a model: reads the unit attributes and follows them through the equations. What does not fit is a warning,
// never an error, and nothing is said where a unit that matters is unknown.
#pragma once
#include "base/warnings.h"
#include "lang/ast.h"
#include "lang/source.h"

// At most one warning for each equation, binding and attribute. source may be NULL. Scratch is taken from the arena.
void units_check(const AstModel *m, const Source *s, Arena *a, Warnings *out);
