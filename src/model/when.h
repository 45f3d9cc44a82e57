// When-clauses of the text: which variables they assign, what these are at an event, states that jump.
#pragma once
#include "model/scope.h"

// Before any expression is converted: variables that when-clauses assign are discrete.
bool when_scan(Scope *s);
// Behind the equations.
bool when_convert(Scope *s);
// At the end: equations and events as they are between events, see Pulse in flat.h.
bool when_finish(Scope *s);
