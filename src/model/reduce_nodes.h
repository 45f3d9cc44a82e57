// Index reduction: equations and variables with their derivatives.
#pragma once
#include "model/model.h"

typedef struct VariableNode { // a variable or one of its derivatives
  Expr symbol;
  const char *name;
  int variable, order;
  int next;     // its derivative, -1: it is the highest
  int equation; // that it is assigned to, -1: none
  bool colored;
} VariableNode;

typedef struct EquationNode { // an equation or one of its derivatives
  SortEquation e;
  int next; // its derivative, -1: it is the last
  IntArray nodes;
  int unknown; // among those that are solved for, -1: an invariant
  bool colored;
} EquationNode;

typedef struct Reducer {
  Model *m;
  Graph *g;
  Arena *arena; // of the model
  Arena *scratch;
  ARRAY(VariableNode) variables;
  ARRAY(EquationNode) equations;
  SortEquation *typed_equations; // combinations in the place of some, see combine.h
  int typed;                     // their number
  VariableNode *made;            // derivatives by variable and order, so that none is made twice
  IntArray node_at;              // by graph node: variable node + 1
  int *stamp, stamp_room, now;
  Err *err;
} Reducer;

// Lists the typed equations, and their variables up to the highest derivatives that occur in them.
void list_typed(Reducer *r);
int add_equation(Reducer *r, SortEquation e);              // returns its number
int differentiate_variable(Reducer *r, int variable_node); // returns the number of the derivative
// Variables that occur in an expression.
IntArray occurrences(Reducer *r, Expr e);
// The same expression without variables that occur in it but cancel: linear, with slopes that are rounding errors.
Expr without_cancelled(Reducer *r, Expr e);
// A state: it is known where derivatives are computed.
bool is_known(const Reducer *r, const VariableNode *v);
