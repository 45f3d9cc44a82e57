// A pulse is a symbol that the equations between events contain as 0, see flat.h. pre(v) is a symbol, too: the node of a
// variable that a when-clause assigns, else one of its own, which is held where v is Boolean or Integer.
#include "model/discrete.h"

#include <string.h>

#include "expr/simplify.h"
#include "lang/source_warn.h"

static const Typed NOTHING = {0};

Expr discrete_pulse(Scope *s, Expr value) {
  Flat *f = s->flat;
  for (int k = 0; k < f->pulses.count; k++)
    if (f->pulses.at[k].value == value && !f->pulses.at[k].initial) return f->pulses.at[k].symbol;
  Pulse p = {.value = value};
  p.symbol = expr_symbol(s->g, arena_print(f->arena, "pulse%d", f->pulses.count + 1), true);
  array_push(f->arena, &f->pulses, p);
  f->hybrid = true;
  return p.symbol;
}

bool discrete_is_pulse(const Flat *f, Expr e) {
  for (int k = 0; k < f->pulses.count; k++)
    if (f->pulses.at[k].symbol == e) return true;
  return false;
}

static Expr hold(Scope *s, int variable, Expr value, const char *name) {
  Flat *f = s->flat;
  Held h = {.variable = variable, .value = value, .name = name};
  h.before = expr_symbol(s->g, arena_print(f->arena, "pre(%s)", name), true);
  array_push(f->arena, &f->held, h);
  f->hybrid = true;
  return h.before;
}

Expr discrete_edge(Scope *s, Expr condition, const char *text) {
  Expr before = hold(s, -1, condition, text);
  Expr no = expr_make(s->g, OP_NOT, before, 0, 0);
  return discrete_pulse(s, expr_make(s->g, OP_AND, condition, no, 0));
}

// ---------------------------------------------------------------- pre, edge, change

// The variable that the only argument names; NULL after an error.
static Variable *named_variable(Scope *s, const Ast *call, Typed *value) {
  if (!scope_check_count(s, call, 1)) return NULL;
  const Ast *argument = call->args[0];
  if (argument->kind != AST_NAME || strcmp(argument->name, "time") == 0) {
    scope_wrong(s, argument, ERR_UNSUPPORTED,
                "%s() takes the name of a variable; give the expression a name with an equation of "
                "its own",
                call->name);
    return NULL;
  }
  *value = scope_convert(s, argument);
  if (scope_failed(s)) return NULL;
  return &s->flat->variables.at[names_find(s->flat->names, argument->name)];
}

static bool is_discrete(const Variable *v) {
  return v->boolean || v->integer || v->now;
}

// Of a continuous variable: its value just before the event.
static void note_left_limit(Scope *s, const Ast *call, Variable *v) {
  if (!s->in_when) {
    scope_wrong(
        s, call, ERR_MODEL,
        "pre(%s): %s is continuous; pre() of it can only stand in the body of a when-clause",
        v->name, v->name);
    return;
  }
  v->pre_line = call->line, v->pre_column = call->column;
  v->pre = expr_symbol(s->g, arena_print(s->flat->arena, "pre(%s)", v->name), true);
}

// Between events nobody knows when a Real input will jump.
static void warn_input(Scope *s, const Ast *call, const Variable *v) {
  source_warn(s->source, &s->flat->warnings, call->line, call->column,
              "pre(%s): the value of the input %s at the event is taken, also where it jumps there",
              v->name, v->name);
}

static Expr before(Scope *s, const Ast *call, Variable *v) {
  bool input = v->kind == VARIABLE_INPUT;
  if (input && !v->boolean) warn_input(s, call, v);
  if ((v->kind != VARIABLE_UNKNOWN && !(input && v->boolean)) || v->now || s->context == IN_QUERY)
    return v->node;
  if (!v->pre && is_discrete(v))
    v->pre = hold(s, (int)(v - s->flat->variables.at), v->node, v->name);
  else if (!v->pre)
    note_left_limit(s, call, v);
  return v->pre;
}

static Typed pre_call(Scope *s, const Ast *call) {
  Typed t = NOTHING;
  Variable *v = named_variable(s, call, &t);
  if (!v) return t;
  t.e = before(s, call, v);
  t.discrete = v->kind == VARIABLE_UNKNOWN, t.continuous = false;
  return t;
}

static Typed edge_call(Scope *s, const Ast *call) {
  Typed t = NOTHING;
  const Variable *v = named_variable(s, call, &t);
  if (!v || !scope_want(s, call->args[0], t, true, "edge()")) return t;
  Expr no = expr_make(s->g, OP_NOT, before(s, call, (Variable *)v), 0, 0);
  return (Typed){.e = discrete_pulse(s, expr_make(s->g, OP_AND, t.e, no, 0)), .boolean = true};
}

static Typed change_call(Scope *s, const Ast *call) {
  Typed t = NOTHING;
  Variable *v = named_variable(s, call, &t);
  if (!v) return t;
  if (v->kind == VARIABLE_UNKNOWN && !is_discrete(v))
    return scope_wrong(s, call, ERR_MODEL, "change(%s): %s is continuous", v->name, v->name);
  Expr differs = expr_make(s->g, OP_NE, t.e, before(s, call, v), 0);
  return (Typed){.e = discrete_pulse(s, differs), .boolean = true};
}

// ---------------------------------------------------------------- sample, initial, terminal

// Contains nothing that varies but parameters which the initial equations determine.
static bool stands_still(const Scope *s, Expr e) {
  if (!expr_varies(s->g, e)) return true;
  const ExprNode *n = expr_node(s->g, e);
  if (n->op == OP_SYMBOL) {
    int i = names_find(s->flat->names, s->g->symbols.at[n->a].name);
    return i >= 0 && s->flat->variables.at[i].computed && s->flat->variables.at[i].node == e;
  }
  for (int i = 0; i < expr_arg_count(s->g, e); i++)
    if (!stands_still(s, expr_arg(s->g, e, i))) return false;
  return n->op != OP_SOLVED;
}

static Expr sample_argument(Scope *s, const Ast *call, int i) {
  Typed t = scope_convert(s, call->args[i]);
  if (!scope_want(s, call->args[i], t, false, "sample")) return 0;
  if (!stands_still(s, t.e))
    scope_wrong(s, call->args[i], ERR_MODEL, "the %s of sample must be a parameter or a number",
                i == 0 ? "start" : "interval");
  return t.e;
}

// The count k = floor((time - start)/interval) is a mode; an instant is where it has changed and is not negative.
static Typed sample_call(Scope *s, const Ast *call) {
  Flat *f = s->flat;
  Graph *g = s->g;
  if (!scope_check_count(s, call, 2)) return NOTHING;
  Expr start = sample_argument(s, call, 0), interval = sample_argument(s, call, 1);
  if (scope_failed(s)) return NOTHING;
  double length = flat_value(f, interval);
  if (!(length > 0) && !expr_varies(g, interval))
    return scope_wrong(s, call->args[1], ERR_VALUE,
                       "the interval of sample must be positive, not %g", length);
  Expr count = expr_div(g, expr_sub(g, f->now, start), interval);
  Expr mode = scope_event(s, EVENT_FLOOR, count, expr_call(g, OP_FLOOR, count), call);
  Expr last = -1;
  for (int k = 0; k < f->held.count; k++)
    if (f->held.at[k].counts && f->held.at[k].value == mode) last = f->held.at[k].before;
  if (last < 0) {
    last = hold(s, -1, mode, "sample");
    f->held.at[f->held.count - 1].counts = true;
    f->held.at[f->held.count - 1].sampled = count;
  }
  Expr begun = expr_make(g, OP_LE, expr_const(g, 0), mode, 0);
  Expr instant = expr_make(g, OP_AND, begun, expr_make(g, OP_NE, mode, last, 0), 0);
  return (Typed){.e = discrete_pulse(s, instant), .boolean = true};
}

static Typed initial_call(Scope *s, const Ast *call) {
  Flat *f = s->flat;
  if (!scope_check_count(s, call, 0)) return NOTHING;
  if (s->context == IN_INITIAL) return (Typed){.e = expr_const(s->g, 1), .boolean = true};
  for (int k = 0; k < f->pulses.count; k++)
    if (f->pulses.at[k].initial) return (Typed){.e = f->pulses.at[k].symbol, .boolean = true};
  Held h = {.variable = -1, .value = expr_const(s->g, 0), .initial = true, .name = "initial()"};
  h.before = expr_symbol(s->g, h.name, true);
  array_push(f->arena, &f->held, h);
  Pulse p = {.symbol = h.before, .value = h.before, .initial = true};
  array_push(f->arena, &f->pulses, p);
  f->hybrid = true;
  return (Typed){.e = p.symbol, .boolean = true};
}

// Nothing is done at the end of a simulation: rows end there.
static Typed terminal_call(Scope *s, const Ast *call) {
  if (!scope_check_count(s, call, 0)) return NOTHING;
  return (Typed){.e = expr_const(s->g, 0), .boolean = true};
}

typedef Typed Caller(Scope *s, const Ast *call);

static const struct {
  const char *name;
  Caller *call;
  bool instant; // false wherever it is not an equation
} CALLS[] = {
    {"pre", pre_call, false},         {"edge", edge_call, true},
    {"change", change_call, true},    {"sample", sample_call, true},
    {"initial", initial_call, false}, {"terminal", terminal_call, false},
};

bool discrete_call(Scope *s, const Ast *call, Typed *out) {
  for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
    if (strcmp(CALLS[i].name, call->name) != 0) continue;
    if (s->context == IN_PARAMETER)
      *out =
          scope_wrong(s, call, ERR_MODEL, "%s() varies in time and cannot stand here", call->name);
    else if (s->context == IN_QUERY && strcmp(call->name, "pre") != 0)
      *out = (Typed){.e = expr_const(s->g, 0), .boolean = true};
    else if (s->context == IN_INITIAL && CALLS[i].instant)
      *out = (Typed){.e = expr_const(s->g, 0), .boolean = true};
    else
      *out = CALLS[i].call(s, call);
    return true;
  }
  return false;
}
