// A model as variables and equations over one expression graph: names resolved, types checked, events made explicit.
#pragma once
#include "base/names.h"
#include "base/warnings.h"
#include "expr/expr.h"
#include "lang/ast.h"
#include "lang/source.h"

typedef enum VariableKind {
  VARIABLE_PARAMETER,
  VARIABLE_CONSTANT,
  VARIABLE_INPUT,
  VARIABLE_UNKNOWN
} VariableKind;

typedef struct Variable {
  const char *name, *description, *unit;
  VariableKind kind;
  bool boolean, integer, output;
  bool hidden; // shown only when asked for by name
  // A parameter with fixed = false, or one that follows from such: an unknown that does not change in time. Those that the
  // initial equations determine are states with the derivative 0.
  bool computed;
  int line, column;
  Expr node;            // symbol; of a parameter or constant: its value or expression
  bool state;           // der(name) occurs
  bool differentiating; // while der(name) is made from an equation
  Expr derivative;      // symbol of der(name)
  const char *derivative_name;
  bool fixed, has_start, has_value;
  Expr start; // expression of parameters: the symbol of parameter name.start where there is one
  double min, max, nominal;
  double default_value; // of an input without data
  bool default_follows; // from parameters
} Variable;

// Everything that can be set or estimated: parameters, and start values as x.start.
typedef struct Parameter {
  const char *name;
  int variable;
  bool is_start;
  bool final;     // cannot be set or estimated
  bool dependent; // has an expression of other parameters, and is no symbol of its own
  Expr node;
  double value; // at the values of the model text and its overrides
  // Where its value became part of the equations, such as a break point of a table; 0: nowhere.
  int evaluated_line, evaluated_column;
} Parameter;

typedef struct Equation {
  Expr left, right, residual; // residual = left - right
  int line, column;
  const char *instance; // the component it belongs to, "" for the model itself
  const char *description;
  bool from_binding; // Real y = x^2 in a declaration
} Equation;

typedef enum EventKind {
  EVENT_NEGATIVE,     // mode = 1 while switching < 0, else 0
  EVENT_NOT_POSITIVE, // mode = 1 while switching <= 0, else 0
  EVENT_FLOOR,        // mode = floor(switching)
  EVENT_SIGN,         // mode = -1, 0 or 1
} EventKind;

// A place where the equations are not smooth. `mode` stands in the equations for what the relation gives; it is constant
// between events.
typedef struct Event {
  EventKind kind;
  Expr mode;      // symbol
  Expr switching; // expression whose zero (or passage of an integer) is the event
  Expr direct;    // what mode stands for, computed from the present states
  int line, column;
  const char *text; // "v < 0"
  bool of_table;    // a break point of a table; see timed.h
} Event;

// What must hold during the motion.
typedef struct Assertion {
  Expr condition; // 1 or 0
  const char *message;
  bool warning; // goes on when it does not hold
  int line, column;
} Assertion;

typedef struct Flat {
  Arena *arena;
  Graph *graph;
  const Source *source;
  const AstModel *ast;
  const char *name, *description;
  ARRAY(Variable) variables;
  ARRAY(Parameter) parameters;
  ARRAY(Equation) equations, initial_equations;
  ARRAY(Event) events;
  ARRAY(Assertion) asserts;
  Names *names; // variable by name
  Names *parameter_names;
  Expr time, origin, now; // symbols, and their sum: time in the text (expr_make_time)
  Warnings warnings;
  double *values; // by node, at the values of the parameters; see flat_value
  int value_count, value_room;
} Flat;

// A parameter that has its own value instead of the expression in the text.
typedef struct Override {
  const char *name;
  double value;
} Override;

typedef struct LineName {
  char at[120];
} LineName;

// How a line of the text is called: "12", or "Wheel.mo:12" in a file of a library.
LineName flat_line(const Flat *f, int line);
// Value of an expression of parameters at their values.
double flat_value(Flat *f, Expr e);
// Whether the expression holds only numbers; their value then, which may be infinite (1/0) or not a number.
bool flat_number(Flat *f, Expr e, double *value);
