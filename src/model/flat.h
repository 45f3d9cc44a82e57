// A model as variables and equations over one expression graph: names resolved, types checked, events made explicit.
#pragma once
#include "base/names.h"
#include "base/warnings.h"
#include "expr/expr.h"
#include "expr/replace.h"
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
  // Of a variable that a when-clause assigns, `node` is its value before an event and between events, and `now` the
  // symbol of its value at an event, which stands for it in Flat.live; 0: none does. A Real one is a state whose slope
  // is 0, others have a place of their own (Held).
  Expr now;
  int when, when_line;      // that clause, counted from 1, and a line of it; 0: none
  Expr pre;                 // symbol of pre(name) where node does not serve; 0: none
  int reinit, reinit_line;  // the same of the clause that reinitialises it
  int pre_line, pre_column; // where pre() of a continuous variable stands first
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
  Expr live; // the residual at events, see Pulse; the same one in models without discrete variables
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
  const char *text;       // "v < 0"
  bool of_table;          // a break point of a table; see timed.h
  Expr live, live_direct; // switching and direct at events, see Pulse
} Event;

// What must hold during the motion.
typedef struct Assertion {
  Expr condition; // 1 or 0
  const char *message;
  bool warning; // goes on when it does not hold
  int line, column;
} Assertion;

// True at the instant of an event only: edge(b), change(v), sample(a, b), initial(), the conditions of when-clauses.
// Between events it is false, and equations, switching functions and outputs contain the number 0 in its place. At events
// it is `value`, and what depends on it is called live.
typedef struct Pulse {
  Expr symbol;
  Expr value; // may contain pulses before this one
  bool initial;
} Pulse;

// What keeps its value between events, except discrete Real variables, which are states: Boolean and Integer variables,
// conditions of when-clauses, the count of a sample.
typedef struct Held {
  int variable; // -1: none
  Expr before;  // symbol: its value before the event, pre(v)
  Expr value;   // at the event, live
  bool counts;  // a sample: before the start it is one less if the start is an instant of it
  Expr sampled; // of that: (time - start)/interval
  bool initial; // initial(): true before the first event where that has to initialise, then false
  const char *name; // for messages
} Held;

typedef struct WhenEquation { // now = value
  int variable;
  Expr value; // live
  int line, column;
} WhenEquation;

typedef struct Reinit { // of a state, where `active` is true
  int variable;
  Expr active, value; // live
  int line, column;
} Reinit;

typedef struct Terminate {
  Expr active;
  const char *message;
} Terminate;

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
  bool hybrid; // has any of these
  ARRAY(Pulse) pulses;
  ARRAY(Held) held;
  ARRAY(WhenEquation) whens;
  ARRAY(Reinit) reinits;
  ARRAY(Terminate) terminates;
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
int flat_line_number(const Flat *f, int line); // in its file
// Value of an expression of parameters at their values.
double flat_value(Flat *f, Expr e);
// Whether the expression holds only numbers; their value then, which may be infinite (1/0) or not a number.
bool flat_number(Flat *f, Expr e, double *value);

// Every expression of equations, events and discrete parts.
typedef void FlatVisit(void *data, Expr *e);
void flat_visit(Flat *f, FlatVisit *visit, void *data);
void flat_replace(Flat *f, Replacer *r); // in all of these
bool flat_has_components(const Flat *f);
