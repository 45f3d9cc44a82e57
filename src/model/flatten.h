// From the tree of a model text to a flat model.
#pragma once
#include "model/flat.h"

// NULL and err on failure. Source, tree and overrides must outlive the result.
Flat *flatten(Arena *a, const Source *s, const AstModel *m, const Override *overrides, int count,
              Err *err);

// Whether the parameter may be set or estimated; false and err if it is final.
bool flat_may_change(const Flat *f, int parameter, Err *err);

// An expression of numbers and parameters, or of variables too, in the names of the model; for measured expressions
// and values on the command line. The error names the place in `s`.
bool flat_expression(Flat *f, const Source *s, const Ast *e, Expr *out, Err *err);
