// What a closed simulator offers, whatever its kind: parameters, inputs, variables that it can record. And the model that the rest
// of entrain sees: a flat model without equations, whose states are these variables.
#pragma once
#include "base/array.h"
#include "base/err.h"
#include "lang/ast.h"
#include "simulate/closed.h"

typedef enum ClosedType { CLOSED_REAL, CLOSED_INTEGER, CLOSED_BOOLEAN, CLOSED_TEXT } ClosedType;

typedef struct ClosedItem { // of an enumeration
  const char *name;
  long value;
} ClosedItem;

typedef struct ClosedVariable {
  const char *name, *description, *unit; // "" when unknown
  ClosedType type;
  bool has_value;
  double value;     // default of a parameter or an input, start value of a variable
  const char *text; // the same of CLOSED_TEXT
  double min, max, nominal;
  bool hidden;             // not shown unless asked for
  const ClosedItem *items; // of an enumeration, which is CLOSED_INTEGER
  int item_count;
  int start_of; // of a parameter: the variable whose start value it is, named x.start; -1: none
} ClosedVariable;

typedef struct ClosedDescription {
  const char *name, *description;
  ARRAY(ClosedVariable) parameters, inputs, variables;
  // Of a simulator whose slopes of states can be computed: which variables its continuous states are, and their derivatives (-1: none is
  // recorded).
  IntArray states, derivatives;
  double start_time, stop_time, interval; // of its default experiment; NaN: not given
} ClosedDescription;

// The flat model. closed: who simulates it. Texts are Integer parameters, see closed_text.
const AstModel *closed_ast(Arena *a, const ClosedDescription *d, ClosedModel *closed);
