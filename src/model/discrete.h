// What the text says about values at and before events: pre, edge, change, sample, initial, terminal.
#pragma once
#include "model/scope.h"

// true: the call is one of these, and *out is what it gives.
bool discrete_call(Scope *s, const Ast *call, Typed *out);
// The symbol of a pulse with this value.
Expr discrete_pulse(Scope *s, Expr value);
// The edge of a condition, whose value before the event is held; `text` names it in messages.
Expr discrete_edge(Scope *s, Expr condition, const char *text);
bool discrete_is_pulse(const Flat *f, Expr e);
