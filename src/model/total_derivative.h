// The time derivative of an expression of the model text.
#pragma once
#include "model/scope.h"

// Every variable that it depends on becomes a state. `at` is the expression, for errors.
Expr total_derivative(Scope *s, const Ast *at, Expr e);
