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
// The mode symbol of an event; the same event is made once.
Expr scope_event(Scope *s, EventKind kind, Expr switching, Expr direct, const Ast *at);
bool scope_check_count(Scope *s, const Ast *call, int want);
