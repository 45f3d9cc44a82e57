#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/ast_print.h"
#include "lang/source_warn.h"
#include "model/flat.h"
#include "model/units.h"

typedef struct Typed {
  Expr e;
  bool boolean;
} Typed;

typedef enum Context { IN_PARAMETER, IN_EQUATION, IN_INITIAL, IN_QUERY } Context;

typedef struct Scope {
  Flat *flat;
  Graph *g;
  const Source *source;
  Err *err;
  Context context;
  int no_event; // depth of noEvent(...)
  const Override *overrides;
  int override_count;
  char *visiting; // by variable: 1 while its binding is read, 2 when it is done
} Scope;

static Typed real(Expr e) { return (Typed){e, false}; }
static Typed boolean(Expr e) { return (Typed){e, true}; }

static Typed wrong(Scope *s, const Ast *at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static Typed wrong(Scope *s, const Ast *at, ErrCode code, const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  source_fail(s->source, s->err, code, at->line, at->column, "%s", text);
  return real(0);
}

static bool failed(const Scope *s) { return s->err->code != ERR_NONE; }

// ---------------------------------------------------------------- events

static const char *text_of(Scope *s, const Ast *e) {
  Text t;
  text_init(&t);
  ast_print(&t, e);
  const char *copy = arena_copy(s->flat->arena, t.at, t.length > 120 ? 120 : t.length);
  text_done(&t);
  return copy;
}

static bool makes_event(const Scope *s, Expr switching) {
  return s->context == IN_EQUATION && s->no_event == 0 && expr_varies(s->g, switching);
}

// The mode symbol that stands for `direct`; the same event is made once.
static Expr event_mode(Scope *s, EventKind kind, Expr switching, Expr direct, const Ast *at) {
  Flat *f = s->flat;
  for (int i = 0; i < f->events.count; i++)
    if (f->events.at[i].kind == kind && f->events.at[i].switching == switching) return f->events.at[i].mode;
  const char *name = arena_print(f->arena, "mode%d", f->events.count + 1);
  Event e = {.kind = kind, .switching = switching, .direct = direct};
  e.mode = expr_symbol(s->g, name, true);
  e.line = at->line, e.column = at->column, e.text = text_of(s, at);
  array_push(f->arena, &f->events, e);
  return e.mode;
}

// a < 0, as an event where events are wanted
static Expr is_negative(Scope *s, Expr a, const Ast *at) {
  Expr direct = expr_make(s->g, OP_LT, a, expr_const(s->g, 0), 0);
  return makes_event(s, a) ? event_mode(s, EVENT_RELATION, a, direct, at) : direct;
}

static Expr rounded_down(Scope *s, Expr a, const Ast *at) {
  Expr direct = expr_call(s->g, OP_FLOOR, a);
  return makes_event(s, a) ? event_mode(s, EVENT_FLOOR, a, direct, at) : direct;
}

// ---------------------------------------------------------------- functions

static Typed convert(Scope *s, const Ast *e);

static Expr real_argument(Scope *s, const Ast *call, int i) {
  Typed t = convert(s, call->args[i]);
  if (!failed(s) && t.boolean)
    wrong(s, call->args[i], ERR_MODEL, "%s needs a number, this is true or false", call->name);
  return t.e;
}

typedef Expr Builder(Scope *s, const Ast *call, Expr a, Expr b);

static Expr build_abs(Scope *s, const Ast *call, Expr a, Expr b) {
  (void)b;
  if (!makes_event(s, a)) return expr_call(s->g, OP_ABS, a);
  return expr_select(s->g, is_negative(s, a, call), expr_neg(s->g, a), a);
}

static Expr build_sign(Scope *s, const Ast *call, Expr a, Expr b) {
  (void)b;
  Graph *g = s->g;
  Expr minus = expr_const(g, -1), plus = expr_const(g, 1), zero = expr_const(g, 0);
  if (makes_event(s, a)) return expr_select(g, is_negative(s, a, call), minus, plus);
  Expr positive = expr_make(g, OP_LT, zero, a, 0), negative = expr_make(g, OP_LT, a, zero, 0);
  return expr_select(g, positive, plus, expr_select(g, negative, minus, zero));
}

static Expr build_min(Scope *s, const Ast *call, Expr a, Expr b) {
  Expr difference = expr_sub(s->g, a, b);
  if (!makes_event(s, difference)) return expr_make(s->g, OP_MIN, a, b, 0);
  return expr_select(s->g, is_negative(s, difference, call), a, b);
}

static Expr build_max(Scope *s, const Ast *call, Expr a, Expr b) {
  Expr difference = expr_sub(s->g, a, b);
  if (!makes_event(s, difference)) return expr_make(s->g, OP_MAX, a, b, 0);
  return expr_select(s->g, is_negative(s, difference, call), b, a);
}

static Expr build_floor(Scope *s, const Ast *call, Expr a, Expr b) {
  return (void)b, rounded_down(s, a, call);
}

static Expr build_ceil(Scope *s, const Ast *call, Expr a, Expr b) {
  return (void)b, expr_neg(s->g, rounded_down(s, expr_neg(s->g, a), call));
}

// mod(a, b) = a - floor(a/b)*b
static Expr build_mod(Scope *s, const Ast *call, Expr a, Expr b) {
  Expr whole = rounded_down(s, expr_div(s->g, a, b), call);
  return expr_sub(s->g, a, expr_mul(s->g, whole, b));
}

typedef struct Function {
  const char *name;
  int args;
  Op op;          // plain operator, or
  Builder *build; // its own way
} Function;

static const Function FUNCTIONS[] = {
    {"sin", 1, OP_SIN, 0},         {"cos", 1, OP_COS, 0},         {"tan", 1, OP_TAN, 0},
    {"asin", 1, OP_ASIN, 0},       {"acos", 1, OP_ACOS, 0},       {"atan", 1, OP_ATAN, 0},
    {"atan2", 2, OP_ATAN2, 0},     {"sinh", 1, OP_SINH, 0},       {"cosh", 1, OP_COSH, 0},
    {"tanh", 1, OP_TANH, 0},       {"exp", 1, OP_EXP, 0},         {"log", 1, OP_LOG, 0},
    {"log10", 1, OP_LOG10, 0},     {"sqrt", 1, OP_SQRT, 0},       {"abs", 1, 0, build_abs},
    {"sign", 1, 0, build_sign},    {"min", 2, 0, build_min},      {"max", 2, 0, build_max},
    {"floor", 1, 0, build_floor},  {"ceil", 1, 0, build_ceil},    {"integer", 1, 0, build_floor},
    {"mod", 2, 0, build_mod},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS };

static const char *const SPECIAL[] = {"der", "noEvent", "smooth"};

static const Function *find_function(const char *name) {
  for (int i = 0; i < FUNCTION_COUNT; i++)
    if (strcmp(FUNCTIONS[i].name, name) == 0) return &FUNCTIONS[i];
  return NULL;
}

static Typed unknown_function(Scope *s, const Ast *call) {
  const char *names[FUNCTION_COUNT + 3];
  for (int i = 0; i < FUNCTION_COUNT; i++) names[i] = FUNCTIONS[i].name;
  for (int i = 0; i < 3; i++) names[FUNCTION_COUNT + i] = SPECIAL[i];
  const char *near = nearest_name(call->name, names, FUNCTION_COUNT + 3);
  if (names_find(s->flat->names, call->name) >= 0)
    return wrong(s, call, ERR_NAME, "'%s' is a variable, not a function; write * to multiply", call->name);
  if (near) return wrong(s, call, ERR_NAME, "'%s' is not a function; did you mean '%s'?", call->name, near);
  return wrong(s, call, ERR_NAME, "'%s' is not a function that entrain knows", call->name);
}

static bool check_count(Scope *s, const Ast *call, int want) {
  if (call->arg_count == want) return true;
  wrong(s, call, ERR_SYNTAX, "%s takes %d argument%s, not %d", call->name, want, want == 1 ? "" : "s",
        call->arg_count);
  return false;
}

static Typed plain_call(Scope *s, const Ast *call) {
  const Function *f = find_function(call->name);
  if (!f) return unknown_function(s, call);
  if (!check_count(s, call, f->args)) return real(0);
  Expr a = real_argument(s, call, 0), b = f->args > 1 ? real_argument(s, call, 1) : 0;
  if (failed(s)) return real(0);
  return real(f->build ? f->build(s, call, a, b) : expr_make(s->g, f->op, a, b, 0));
}

static Typed der_call(Scope *s, const Ast *call) {
  if (!check_count(s, call, 1)) return real(0);
  const Ast *argument = call->args[0];
  if (argument->kind != AST_NAME)
    return wrong(s, argument, ERR_UNSUPPORTED,
                 "der() takes the name of a variable; give the expression a name with an equation of its own");
  convert(s, argument); // an undeclared name is reported as such
  if (failed(s)) return real(0);
  int i = names_find(s->flat->names, argument->name);
  if (i < 0) return wrong(s, argument, ERR_MODEL, "der() of %s: it is no variable", argument->name);
  Variable *v = &s->flat->variables.at[i];
  if (v->kind == VARIABLE_INPUT)
    return wrong(s, argument, ERR_UNSUPPORTED, "der() of the input %s is not supported", v->name);
  if (v->kind != VARIABLE_UNKNOWN) return real(expr_const(s->g, 0));
  if (v->boolean || v->integer)
    return wrong(s, argument, ERR_MODEL, "der() needs a Real variable, %s is none", v->name);
  if (s->context == IN_PARAMETER)
    return wrong(s, call, ERR_MODEL, "der(%s) varies in time and cannot stand here", v->name);
  if (!v->state) {
    v->state = true;
    v->derivative_name = arena_print(s->flat->arena, "der(%s)", v->name);
    v->derivative = expr_symbol(s->g, v->derivative_name, true);
  }
  return real(v->derivative);
}

static Typed no_event_call(Scope *s, const Ast *call) {
  if (!check_count(s, call, 1)) return real(0);
  s->no_event++;
  Typed t = convert(s, call->args[0]);
  s->no_event--;
  return t;
}

// smooth(n, e): with n >= 1 the kinks in e need no events; with 0 e is continuous only
static Typed smooth_call(Scope *s, const Ast *call) {
  if (!check_count(s, call, 2)) return real(0);
  const Ast *order = call->args[0];
  if (order->kind != AST_NUMBER || order->number != floor(order->number))
    return wrong(s, order, ERR_SYNTAX, "the first argument of smooth is an integer such as 1");
  int off = order->number >= 1;
  s->no_event += off;
  Typed t = convert(s, call->args[1]);
  s->no_event -= off;
  return t;
}

static Typed call(Scope *s, const Ast *e) {
  if (strcmp(e->name, "der") == 0) return der_call(s, e);
  if (strcmp(e->name, "noEvent") == 0) return no_event_call(s, e);
  if (strcmp(e->name, "smooth") == 0) return smooth_call(s, e);
  return plain_call(s, e);
}

// ---------------------------------------------------------------- names

static bool define_parameter(Scope *s, int i);

static Typed undeclared(Scope *s, const Ast *e) {
  const Names *names = s->flat->names;
  Arena *scratch = arena_new();
  int n = names_count(names);
  const char **all = ARENA_ARRAY(scratch, const char *, n + 1);
  for (int i = 0; i < n; i++) all[i] = names_at(names, i);
  all[n] = "time";
  const char *near = nearest_name(e->name, all, n + 1);
  if (near) wrong(s, e, ERR_NAME, "'%s' is not declared in %s; did you mean '%s'?", e->name, s->flat->name, near);
  else wrong(s, e, ERR_NAME, "'%s' is not declared in %s", e->name, s->flat->name);
  arena_free(scratch);
  return real(0);
}

static Typed name(Scope *s, const Ast *e) {
  if (strcmp(e->name, "time") == 0) {
    if (s->context == IN_PARAMETER) return wrong(s, e, ERR_MODEL, "time varies and cannot stand here");
    return real(s->flat->time);
  }
  int i = names_find(s->flat->names, e->name);
  if (i < 0) return undeclared(s, e);
  Variable *v = &s->flat->variables.at[i];
  bool fixed_value = v->kind == VARIABLE_PARAMETER || v->kind == VARIABLE_CONSTANT;
  if (s->context == IN_PARAMETER && !fixed_value)
    return wrong(s, e, ERR_MODEL, "'%s' varies in time and cannot stand here; only parameters and constants can",
                 e->name);
  if (fixed_value && s->visiting && s->visiting[i] != 2) {
    if (s->visiting[i] == 1)
      return wrong(s, e, ERR_MODEL, "circular definition: the value of '%s' depends on itself", e->name);
    if (!define_parameter(s, i)) return real(0);
    v = &s->flat->variables.at[i];
  }
  return (Typed){v->node, v->boolean};
}

// ---------------------------------------------------------------- operators

static bool want(Scope *s, const Ast *at, Typed t, bool is_boolean, const char *what) {
  if (failed(s)) return false;
  if (t.boolean == is_boolean) return true;
  wrong(s, at, ERR_MODEL, is_boolean ? "%s needs true or false, this is a number" : "%s needs a number, this is true or false",
        what);
  return false;
}

static Typed relation(Scope *s, const Ast *e, Expr a, Expr b) {
  Graph *g = s->g;
  bool swap = e->op == AST_GREATER || e->op == AST_GREATER_EQUAL;
  Expr left = swap ? b : a, right = swap ? a : b;
  bool strict = e->op == AST_LESS || e->op == AST_GREATER;
  Expr direct = expr_make(g, strict ? OP_LT : OP_LE, left, right, 0);
  Expr switching = expr_sub(g, left, right);
  if (!makes_event(s, switching)) return boolean(direct);
  return boolean(event_mode(s, EVENT_RELATION, switching, direct, e));
}

static Typed equality(Scope *s, const Ast *e, Typed a, Typed b) {
  if (a.boolean != b.boolean)
    return wrong(s, e, ERR_MODEL, "one side is a number, the other is true or false");
  if (!a.boolean && (expr_varies(s->g, a.e) || expr_varies(s->g, b.e)))
    return wrong(s, e, ERR_MODEL, "== and <> compare numbers that vary in time; use < or <=");
  return boolean(expr_make(s->g, e->op == AST_EQUAL ? OP_EQ : OP_NE, a.e, b.e, 0));
}

static Typed binary(Scope *s, const Ast *e) {
  Graph *g = s->g;
  Typed a = convert(s, e->args[0]), b = convert(s, e->args[1]);
  if (failed(s)) return real(0);
  if (e->op == AST_EQUAL || e->op == AST_NOT_EQUAL) return equality(s, e, a, b);
  bool logic = e->op == AST_AND || e->op == AST_OR;
  const char *what = logic ? "'and' and 'or'" : "this operator";
  if (!want(s, e->args[0], a, logic, what) || !want(s, e->args[1], b, logic, what)) return real(0);
  switch (e->op) {
  case AST_PLUS: return real(expr_add(g, a.e, b.e));
  case AST_MINUS: return real(expr_sub(g, a.e, b.e));
  case AST_TIMES: return real(expr_mul(g, a.e, b.e));
  case AST_DIVIDE: return real(expr_div(g, a.e, b.e));
  case AST_POWER: return real(expr_pow(g, a.e, b.e));
  case AST_AND: return boolean(expr_make(g, OP_AND, a.e, b.e, 0));
  case AST_OR: return boolean(expr_make(g, OP_OR, a.e, b.e, 0));
  default: return relation(s, e, a.e, b.e);
  }
}

static Typed unary(Scope *s, const Ast *e) {
  Typed a = convert(s, e->args[0]);
  if (!want(s, e->args[0], a, e->op == AST_NOT, e->op == AST_NOT ? "'not'" : "a sign")) return real(0);
  if (e->op == AST_NOT) return boolean(expr_make(s->g, OP_NOT, a.e, 0, 0));
  return real(e->op == AST_MINUS ? expr_neg(s->g, a.e) : a.e);
}

static Typed if_expression(Scope *s, const Ast *e) {
  Typed c = convert(s, e->args[0]), a = convert(s, e->args[1]), b = convert(s, e->args[2]);
  if (!want(s, e->args[0], c, true, "'if'")) return real(0);
  if (a.boolean != b.boolean)
    return wrong(s, e, ERR_MODEL, "one branch is a number, the other is true or false");
  return (Typed){expr_select(s->g, c.e, a.e, b.e), a.boolean};
}

static Typed convert(Scope *s, const Ast *e) {
  if (failed(s)) return real(0);
  switch (e->kind) {
  case AST_NUMBER: return real(expr_const(s->g, e->number));
  case AST_BOOL: return boolean(expr_const(s->g, e->number));
  case AST_STRING: return wrong(s, e, ERR_UNSUPPORTED, "a text cannot stand in an expression");
  case AST_NAME: return name(s, e);
  case AST_CALL: return call(s, e);
  case AST_UNARY: return unary(s, e);
  case AST_BINARY: return binary(s, e);
  case AST_IF: return if_expression(s, e);
  }
  return real(0);
}

// ---------------------------------------------------------------- parameters

// Values are kept by node: parameters have theirs as soon as their symbol exists, and never change.
double flat_value(Flat *f, Expr e) {
  const Graph *g = f->graph;
  if (f->value_room <= e) {
    int room = 2 * g->count;
    double *grown = ARENA_ARRAY(f->arena, double, room);
    if (f->value_count) memcpy(grown, f->values, (size_t)f->value_count * sizeof *grown);
    f->values = grown;
    f->value_room = room;
  }
  for (; f->value_count <= e; f->value_count++) {
    const ExprNode *n = expr_node(g, f->value_count);
    double *v = f->values;
    if (n->op == OP_CONST) v[f->value_count] = n->value;
    else if (OPS[n->op].args) v[f->value_count] = op_apply((Op)n->op, v[n->a], v[n->b], v[n->c]);
    else v[f->value_count] = NAN; // varies
  }
  return f->values[e];
}

static void set_symbol_value(Flat *f, Expr symbol, double value) {
  flat_value(f, symbol);
  f->values[symbol] = value;
}

static const Override *find_override(const Scope *s, const char *parameter) {
  for (int i = 0; i < s->override_count; i++)
    if (strcmp(s->overrides[i].name, parameter) == 0) return &s->overrides[i];
  return NULL;
}

// A parameter whose expression holds only numbers is independent: it gets a symbol of its own and that value.
static Expr add_parameter(Scope *s, const char *parameter, int variable, bool is_start, Expr expression) {
  Flat *f = s->flat;
  const Override *o = find_override(s, parameter);
  Parameter p = {.name = parameter, .variable = variable, .is_start = is_start};
  p.dependent = !o && !expr_is_const(s->g, expression);
  p.value = o ? o->value : flat_value(f, expression);
  p.node = p.dependent ? expression : expr_symbol(s->g, parameter, false);
  if (!p.dependent) set_symbol_value(f, p.node, p.value);
  names_set(f->parameter_names, parameter, f->parameters.count);
  array_push(f->arena, &f->parameters, p);
  return p.node;
}

static const AstAttribute *find_attribute(const AstDeclaration *d, const char *attribute) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, attribute) == 0) return &d->attributes.at[i];
  return NULL;
}

static bool check_declared_type(Scope *s, const AstDeclaration *d, const Ast *at, Typed t) {
  if (failed(s)) return false;
  bool is_boolean = d->type == AST_BOOLEAN;
  if (t.boolean == is_boolean) return true;
  wrong(s, at, ERR_MODEL, is_boolean ? "%s is Boolean, this is a number" : "%s is a number, this is true or false",
        d->name);
  return false;
}

static bool check_parameter_value(Scope *s, const AstDeclaration *d, Expr e) {
  double v = flat_value(s->flat, e);
  const Ast *at = d->binding;
  if (d->type == AST_INTEGER && v != floor(v)) {
    wrong(s, at, ERR_VALUE, "%s is Integer, its value is %g", d->name, v);
    return false;
  }
  if (!isfinite(v)) {
    wrong(s, at, ERR_VALUE, "the value of %s is %s", d->name, isnan(v) ? "not a number" : "infinite");
    return false;
  }
  return true;
}

static Expr parameter_expression(Scope *s, const AstDeclaration *d) {
  const AstAttribute *start = find_attribute(d, "start");
  const Ast *e = d->binding ? d->binding : start ? start->value : NULL;
  if (!e) return expr_const(s->g, 0);
  Typed t = convert(s, e);
  check_declared_type(s, d, e, t);
  return t.e;
}

static bool define_parameter(Scope *s, int i) {
  const AstDeclaration *d = &s->flat->ast->declarations.at[i];
  Context outer = s->context;
  s->context = IN_PARAMETER;
  s->visiting[i] = 1;
  Expr e = parameter_expression(s, d);
  s->visiting[i] = 2;
  s->context = outer;
  if (failed(s)) return false;
  Variable *v = &s->flat->variables.at[i];
  if (d->binding && !check_parameter_value(s, d, e)) return false;
  if (v->kind == VARIABLE_CONSTANT) {
    if (!d->binding) {
      source_fail(s->source, s->err, ERR_MODEL, d->line, d->column, "the constant %s has no value", d->name);
      return false;
    }
    v->node = e;
    return true;
  }
  if (!d->binding && !find_override(s, d->name))
    source_warn(s->source, &s->flat->warnings, d->line, d->column,
                "parameter %s has no value: %g is used; set it with --set %s=...", d->name,
                flat_value(s->flat, e), d->name);
  v->node = add_parameter(s, d->name, i, false, e);
  return true;
}

// ---------------------------------------------------------------- declarations

static bool declare(Scope *s, const AstDeclaration *d) {
  Flat *f = s->flat;
  if (names_find(f->names, d->name) >= 0 || strcmp(d->name, "time") == 0)
    return source_fail(s->source, s->err, ERR_NAME, d->line, d->column,
                       strcmp(d->name, "time") == 0 ? "'%s' is the name of the time" : "'%s' is declared twice",
                       d->name);
  static const VariableKind KIND[] = {[AST_VARIABLE] = VARIABLE_UNKNOWN,
                                      [AST_PARAMETER] = VARIABLE_PARAMETER,
                                      [AST_CONSTANT] = VARIABLE_CONSTANT,
                                      [AST_INPUT] = VARIABLE_INPUT,
                                      [AST_OUTPUT] = VARIABLE_UNKNOWN};
  Variable v = {.name = d->name, .description = d->description, .unit = "", .line = d->line, .column = d->column};
  v.kind = KIND[d->role];
  v.output = d->role == AST_OUTPUT;
  v.boolean = d->type == AST_BOOLEAN;
  v.integer = d->type == AST_INTEGER;
  v.min = -INFINITY, v.max = INFINITY, v.nominal = 1;
  bool varies = v.kind == VARIABLE_UNKNOWN || v.kind == VARIABLE_INPUT;
  if (varies && v.integer)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "Integer variables that vary in time are not supported yet; make %s Real", d->name);
  if (varies) v.node = expr_symbol(s->g, d->name, true);
  names_set(f->names, d->name, f->variables.count);
  array_push(f->arena, &f->variables, v);
  return true;
}

static bool number_attribute(Scope *s, const AstDeclaration *d, const char *attribute, double *out) {
  const AstAttribute *at = find_attribute(d, attribute);
  if (!at) return true;
  s->context = IN_PARAMETER;
  Typed t = convert(s, at->value);
  if (!want(s, at->value, t, false, attribute)) return false;
  *out = flat_value(s->flat, t.e);
  if (isnan(*out)) wrong(s, at->value, ERR_VALUE, "%s of %s is not a number", attribute, d->name);
  return !failed(s);
}

static bool flag_attribute(Scope *s, const AstDeclaration *d, const char *attribute, bool *out) {
  const AstAttribute *at = find_attribute(d, attribute);
  if (!at) return true;
  s->context = IN_PARAMETER;
  Typed t = convert(s, at->value);
  if (!want(s, at->value, t, true, attribute)) return false;
  *out = flat_value(s->flat, t.e) != 0;
  return true;
}

static const char *const ATTRIBUTES[] = {"start", "fixed", "min", "max", "nominal", "unit", "displayUnit", "quantity", "stateSelect"};
enum { ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES };

static bool check_attribute_names(Scope *s, const AstDeclaration *d) {
  for (int i = 0; i < d->attributes.count; i++) {
    const AstAttribute *at = &d->attributes.at[i];
    bool is_known = false;
    for (int k = 0; k < ATTRIBUTE_COUNT; k++) is_known |= strcmp(at->name, ATTRIBUTES[k]) == 0;
    const char *near = is_known ? NULL : nearest_name(at->name, ATTRIBUTES, ATTRIBUTE_COUNT);
    if (!is_known)
      return source_fail(s->source, s->err, ERR_NAME, at->line, at->column,
                         "'%s' is no attribute of a variable; %s%s%s", at->name, near ? "did you mean '" : "allowed are start, fixed, min, max, nominal, unit",
                         near ? near : "", near ? "'?" : "");
    for (int k = 0; k < i; k++)
      if (strcmp(at->name, d->attributes.at[k].name) == 0)
        return source_fail(s->source, s->err, ERR_NAME, at->line, at->column, "%s is given twice", at->name);
  }
  return true;
}

static bool read_bounds(Scope *s, int i, const AstDeclaration *d) {
  Variable *v = &s->flat->variables.at[i];
  double min = v->min, max = v->max, nominal = 1;
  bool fixed = v->kind == VARIABLE_PARAMETER;
  if (!number_attribute(s, d, "min", &min) || !number_attribute(s, d, "max", &max) ||
      !number_attribute(s, d, "nominal", &nominal) || !flag_attribute(s, d, "fixed", &fixed))
    return false;
  if (min > max)
    return source_fail(s->source, s->err, ERR_VALUE, d->line, d->column, "%s: min %g is above max %g", d->name, min, max);
  if (v->kind == VARIABLE_PARAMETER && !fixed)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "parameter %s with fixed = false is not supported yet", d->name);
  if (!(nominal != 0) || !isfinite(nominal))
    return source_fail(s->source, s->err, ERR_VALUE, d->line, d->column, "%s: nominal must be a number other than 0", d->name);
  const AstAttribute *unit = find_attribute(d, "unit");
  if (unit && unit->value->kind != AST_STRING)
    return source_fail(s->source, s->err, ERR_SYNTAX, unit->line, unit->column, "unit is a text such as \"m/s\"");
  v->unit = unit ? unit->value->name : "";
  v->min = min, v->max = max, v->nominal = fabs(nominal), v->fixed = fixed;
  return true;
}

static bool read_input_default(Scope *s, int i, const AstDeclaration *d) {
  const AstAttribute *start = find_attribute(d, "start");
  const Ast *e = d->binding ? d->binding : start ? start->value : NULL;
  if (!e) return true;
  s->context = IN_PARAMETER;
  Typed t = convert(s, e);
  if (!check_declared_type(s, d, e, t)) return false;
  s->flat->variables.at[i].default_value = flat_value(s->flat, t.e);
  s->flat->variables.at[i].has_value = true;
  return true;
}

// Start values of unknowns become parameters x.start.
static bool read_start(Scope *s, int i, const AstDeclaration *d) {
  Variable *v = &s->flat->variables.at[i];
  const AstAttribute *start = find_attribute(d, "start");
  Expr e = expr_const(s->g, 0);
  if (start) {
    s->context = IN_PARAMETER;
    Typed t = convert(s, start->value);
    if (!check_declared_type(s, d, start->value, t)) return false;
    double value = flat_value(s->flat, t.e);
    if (!isfinite(value)) {
      wrong(s, start->value, ERR_VALUE, "the start value of %s is not finite", d->name);
      return false;
    }
    e = t.e;
  }
  v = &s->flat->variables.at[i];
  v->has_start = start != NULL;
  v->start = e;
  if (v->state || v->fixed)
    v->start = add_parameter(s, arena_print(s->flat->arena, "%s.start", v->name), i, true, e);
  return true;
}

// ---------------------------------------------------------------- equations

static bool add_equation(Scope *s, const AstEquation *q, Context context, bool from_binding) {
  s->context = context;
  Typed left = convert(s, q->left), right = convert(s, q->right);
  if (failed(s)) return false;
  if (left.boolean != right.boolean)
    return source_fail(s->source, s->err, ERR_MODEL, q->line, q->column,
                       "one side of the equation is a number, the other is true or false");
  Equation e = {.left = left.e, .right = right.e, .line = q->line, .column = q->column};
  e.residual = expr_sub(s->g, left.e, right.e);
  e.description = q->description;
  e.from_binding = from_binding;
  if (context == IN_INITIAL) array_push(s->flat->arena, &s->flat->initial_equations, e);
  else array_push(s->flat->arena, &s->flat->equations, e);
  return true;
}

static bool add_binding(Scope *s, const AstDeclaration *d) {
  Ast *left = ARENA_NEW(s->flat->arena, Ast);
  *left = (Ast){.kind = AST_NAME, .name = d->name, .line = d->line, .column = d->column};
  AstEquation q = {.left = left, .right = d->binding, .line = d->line, .column = d->column, .description = d->description};
  return add_equation(s, &q, IN_EQUATION, true);
}

typedef bool Step(Scope *s, int i, const AstDeclaration *d);

static bool step_declare(Scope *s, int i, const AstDeclaration *d) {
  (void)i;
  return check_attribute_names(s, d) && declare(s, d);
}

static bool step_parameter(Scope *s, int i, const AstDeclaration *d) {
  bool fixed_value = d->role == AST_PARAMETER || d->role == AST_CONSTANT;
  return !fixed_value || s->visiting[i] == 2 || define_parameter(s, i);
}

static bool step_bounds(Scope *s, int i, const AstDeclaration *d) { return read_bounds(s, i, d); }

static bool step_binding(Scope *s, int i, const AstDeclaration *d) {
  if (d->role == AST_INPUT) return read_input_default(s, i, d);
  bool unknown = s->flat->variables.at[i].kind == VARIABLE_UNKNOWN;
  return !unknown || !d->binding || add_binding(s, d);
}

static bool step_start(Scope *s, int i, const AstDeclaration *d) {
  return s->flat->variables.at[i].kind != VARIABLE_UNKNOWN || read_start(s, i, d);
}

static bool for_declarations(Scope *s, Step *step) {
  const AstModel *m = s->flat->ast;
  for (int i = 0; i < m->declarations.count; i++)
    if (!step(s, i, &m->declarations.at[i])) return false;
  return true;
}

static bool add_equations(Scope *s) {
  const AstModel *m = s->flat->ast;
  for (int i = 0; i < m->equations.count; i++)
    if (!add_equation(s, &m->equations.at[i], IN_EQUATION, false)) return false;
  for (int i = 0; i < m->initial_equations.count; i++)
    if (!add_equation(s, &m->initial_equations.at[i], IN_INITIAL, false)) return false;
  return true;
}

Flat *flatten(Arena *a, const Source *source, const AstModel *m, const Override *overrides, int count, Err *err) {
  Flat *f = ARENA_NEW(a, Flat);
  f->arena = a;
  f->graph = graph_new(a);
  f->source = source;
  f->ast = m;
  f->name = m->name;
  f->description = m->description;
  f->names = names_new(a);
  f->parameter_names = names_new(a);
  f->warnings.arena = a;
  f->time = expr_symbol(f->graph, "time", true);
  Scope s = {.flat = f, .g = f->graph, .source = source, .err = err, .overrides = overrides};
  s.override_count = count;
  s.visiting = ARENA_ARRAY(a, char, m->declarations.count + 1);
  bool ok = for_declarations(&s, step_declare) && for_declarations(&s, step_parameter) &&
            for_declarations(&s, step_bounds) && for_declarations(&s, step_binding) &&
            add_equations(&s) && for_declarations(&s, step_start);
  if (!ok || failed(&s)) return NULL;
  units_check(m, source, a, &f->warnings);
  return f;
}

bool flat_expression(Flat *f, const Source *source, const Ast *e, Expr *out, Err *err) {
  Scope s = {.flat = f, .g = f->graph, .source = source, .err = err, .context = IN_QUERY};
  *out = convert(&s, e).e;
  return !failed(&s);
}
