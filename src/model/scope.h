// Expressions of the model text as nodes of the graph: names, types, functions, events.
#pragma once
#include "model/flat.h"

typedef struct Typed {
  Expr e;
  bool boolean;
  bool integer;    // of type Integer
  bool discrete;   // contains a variable that changes at events only
  bool continuous; // contains what changes between events
} Typed;

typedef enum Context { IN_PARAMETER, IN_EQUATION, IN_INITIAL, IN_QUERY } Context;

typedef struct Scope Scope;
// Functions that scope.c does not know: true if the call is one of them, and *out is what it gives.
typedef bool MoreCalls(Scope *s, const Ast *call, Typed *out);

struct Scope {
  Flat *flat;
  Graph *g;
  const Source *source;
  Err *err;
  Context context;
  int no_event; // depth of noEvent(...)
  bool in_when; // in the body of a when-clause
  MoreCalls *more_calls;
  const Override *overrides;
  int override_count;
  char *visiting; // by variable: 1 while its binding is read, 2 when it is done
};

Typed scope_convert(Scope *s, const Ast *e);
bool scope_failed(const Scope *s);
// An error at `at`; returns a harmless value.
Typed scope_wrong(Scope *s, const Ast *at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Whether t is a number (or true/false) as wanted; otherwise an error that says what needs it.
bool scope_want(Scope *s, const Ast *at, Typed t, bool is_boolean, const char *what);
// floor(e), as an event where events are wanted: the number of a piece of a table, or of a period.
Expr scope_table_piece(Scope *s, Expr e, const Ast *at);
// From now on the model must satisfy this condition. The message is kept.
void scope_assert(Scope *s, const Ast *at, Expr condition, const char *message, bool warning);

// Tables in the model text, as expressions of the graph:
//   Entrain.Tables.linear(u, {x...}, {y...}, beyond)      lines between the points; an x that occurs twice is a jump
//   Entrain.Tables.hold(...)                              the value of the point to the left
//   Entrain.Tables.spline(...)  makima, monotone, monotone2: splines with continuous slopes (table_pieces.h)
//   Entrain.Tables.linear2(u1, u2, {x...}, {y...}, {{z...}, ...}[, beyond])  bilinear; z by rows of one x
// beyond: 1 hold the last value, 2 continue the last two points, 3 periodic, 4 it must not be left. The x are numbers at the
// values of their parameters; the y of linear and hold may be parameters that are estimated.
bool is_table_call(const char *name);
Typed table_call(Scope *s, const Ast *call);

// The time derivative of an expression. Every variable that it depends on becomes a state. `at` is the expression, for
// errors.
Expr total_derivative(Scope *s, const Ast *at, Expr e);
// Whether stateSelect of a declaration is this word, such as "never".
bool scope_state_select(const AstDeclaration *d, const char *word);
// der() of a variable; it becomes a state, unless it wishes never to be one and an equation gives it: then the derivative is
// that of the other side. `at` is where it is wanted.
Typed scope_rate(Scope *s, const Ast *at, int variable);
// The mode symbol of an event; the same event is made once.
const char *scope_text(Scope *s, const Ast *e); // as it is written, cut to a line
Expr scope_event(Scope *s, EventKind kind, Expr switching, Expr direct, const Ast *at);
bool scope_check_count(Scope *s, const Ast *call, int want);
