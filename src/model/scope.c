#include "model/scope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "expr/simplify.h"
#include "lang/ast_print.h"
#include "lang/name.h"

static Typed real(Expr e) {
  return (Typed){.e = e};
}
static Typed boolean(Expr e) {
  return (Typed){.e = e, .boolean = true};
}

// Made of others.
static Typed of_two(Typed t, Typed a, Typed b) {
  t.discrete |= a.discrete || b.discrete;
  t.continuous |= a.continuous || b.continuous;
  return t;
}

// Changes at events only, because discrete variables do: its relations need no events of their own.
static bool is_stepwise(Typed t) {
  return t.discrete && !t.continuous;
}

Typed scope_wrong(Scope *s, const Ast *at, ErrCode code, const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  c_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  source_fail(s->source, s->err, code, at->line, at->column, "%s", text);
  return real(0);
}

bool scope_failed(const Scope *s) {
  return s->err->code != ERR_NONE;
}

// ---------------------------------------------------------------- events

const char *scope_text(Scope *s, const Ast *e) {
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

// The mode symbol that stands for `direct`; the same event is made once. x < 0 and x <= 0 are two: they differ where x
// stays 0.
Expr scope_event(Scope *s, EventKind kind, Expr switching, Expr direct, const Ast *at) {
  Flat *f = s->flat;
  for (int i = 0; i < f->events.count; i++)
    if (f->events.at[i].kind == kind && f->events.at[i].switching == switching)
      return f->events.at[i].mode;
  const char *name = arena_print(f->arena, "mode%d", f->events.count + 1);
  Event e = {.kind = kind, .switching = switching, .direct = direct};
  e.mode = expr_symbol(s->g, name, true);
  e.line = at->line, e.column = at->column, e.text = scope_text(s, at);
  array_push(f->arena, &f->events, e);
  return e.mode;
}

// a < 0, as an event where events are wanted
static Expr is_negative(Scope *s, Expr a, const Ast *at) {
  Expr direct = expr_make(s->g, OP_LT, a, expr_const(s->g, 0), 0);
  return makes_event(s, a) ? scope_event(s, EVENT_NEGATIVE, a, direct, at) : direct;
}

static Expr rounded_down(Scope *s, Expr a, const Ast *at) {
  Expr direct = expr_call(s->g, OP_FLOOR, a);
  return makes_event(s, a) ? scope_event(s, EVENT_FLOOR, a, direct, at) : direct;
}

Expr scope_table_piece(Scope *s, Expr e, const Ast *at) {
  Expr k = rounded_down(s, e, at);
  for (int i = 0; i < s->flat->events.count; i++)
    if (s->flat->events.at[i].mode == k) s->flat->events.at[i].of_table = true;
  return k;
}

void scope_assert(Scope *s, const Ast *at, Expr condition, const char *message, bool warning) {
  Assertion a = {condition, message, warning, at->line, at->column};
  if (s->context != IN_QUERY) array_push(s->flat->arena, &s->flat->asserts, a);
}

// ---------------------------------------------------------------- functions

static Typed real_argument(Scope *s, const Ast *call, int i) {
  Typed t = scope_convert(s, call->args[i]);
  if (!scope_failed(s) && t.boolean)
    scope_wrong(s, call->args[i], ERR_MODEL, "%s needs a number, this is true or false",
                call->name);
  return t;
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
  Expr positive = expr_make(g, OP_LT, zero, a, 0), negative = expr_make(g, OP_LT, a, zero, 0);
  Expr direct = expr_select(g, positive, plus, expr_select(g, negative, minus, zero));
  return makes_event(s, a) ? scope_event(s, EVENT_SIGN, a, direct, call) : direct;
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

// div(a, b): a/b without its fraction. Its sign needs no event: it changes where the whole part is 0.
static Expr build_div(Scope *s, const Ast *call, Expr a, Expr b) {
  Expr q = expr_div(s->g, a, b), whole = rounded_down(s, expr_call(s->g, OP_ABS, q), call);
  Expr negative = expr_make(s->g, OP_LT, q, expr_const(s->g, 0), 0);
  return expr_select(s->g, negative, expr_neg(s->g, whole), whole);
}

// rem(a, b) = a - div(a, b)*b
static Expr build_rem(Scope *s, const Ast *call, Expr a, Expr b) {
  return expr_sub(s->g, a, expr_mul(s->g, build_div(s, call, a, b), b));
}

typedef struct Function {
  const char *name;
  int args;
  Op op;          // plain operator, or
  Builder *build; // its own way
} Function;

static const Function FUNCTIONS[] = {
#define FUNCTION(word, args, op, build, unit) {word, args, op, build},
#include "lang/functions.def"
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS };

static const char *const SPECIAL[] = {"der",  "noEvent", "smooth", "homotopy", "semiLinear", "pre",
                                      "edge", "change",  "sample", "initial",  "terminal"};
enum { SPECIAL_COUNT = sizeof SPECIAL / sizeof *SPECIAL };

static const Function *find_function(const char *name) {
  for (int i = 0; i < FUNCTION_COUNT; i++)
    if (strcmp(FUNCTIONS[i].name, name) == 0) return &FUNCTIONS[i];
  return NULL;
}

static Typed unknown_function(Scope *s, const Ast *call) {
  const char *names[FUNCTION_COUNT + SPECIAL_COUNT];
  for (int i = 0; i < FUNCTION_COUNT; i++) names[i] = FUNCTIONS[i].name;
  for (int i = 0; i < SPECIAL_COUNT; i++) names[FUNCTION_COUNT + i] = SPECIAL[i];
  const char *near = nearest_name(call->name, names, FUNCTION_COUNT + SPECIAL_COUNT);
  if (names_find(s->flat->names, call->name) >= 0)
    return scope_wrong(s, call, ERR_NAME, "'%s' is a variable, not a function; write * to multiply",
                       call->name);
  if (near)
    return scope_wrong(s, call, ERR_NAME, "'%s' is not a function; did you mean '%s'?", call->name,
                       near);
  return scope_wrong(s, call, ERR_NAME, "'%s' is not a function that entrain knows", call->name);
}

bool scope_check_count(Scope *s, const Ast *call, int want) {
  if (call->arg_count == want) return true;
  scope_wrong(s, call, ERR_SYNTAX, "%s takes %d argument%s, not %d", call->name, want,
              want == 1 ? "" : "s", call->arg_count);
  return false;
}

static Typed plain_call(Scope *s, const Ast *call) {
  const Function *f = find_function(call->name);
  if (!f) return unknown_function(s, call);
  if (!scope_check_count(s, call, f->args)) return real(0);
  Typed a = real_argument(s, call, 0), b = f->args > 1 ? real_argument(s, call, 1) : a;
  if (scope_failed(s)) return real(0);
  Expr second = f->args > 1 ? b.e : 0;
  Typed t = of_two(real(0), a, b);
  int off = is_stepwise(t);
  s->no_event += off;
  t.e = f->build ? f->build(s, call, a.e, second) : expr_make(s->g, f->op, a.e, second, 0);
  s->no_event -= off;
  bool whole = strcmp(call->name, "integer") == 0 || strcmp(call->name, "sign") == 0;
  t.integer = whole || (f->build && a.integer && b.integer);
  if (whole && makes_event(s, a.e)) t.continuous = false, t.discrete = a.discrete;
  return t;
}

bool scope_state_select(const AstDeclaration *d, const char *word) {
  static const char PREFIX[] = "StateSelect.";
  for (int i = 0; i < d->attributes.count; i++) {
    const AstAttribute *a = &d->attributes.at[i];
    if (strcmp(a->name, "stateSelect") != 0 || a->value->kind != AST_NAME) continue;
    const char *name = a->value->name;
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0 &&
           strcmp(name + sizeof PREFIX - 1, word) == 0;
  }
  return false;
}

static bool is_name(const Ast *e, const char *name) {
  return e->kind == AST_NAME && strcmp(e->name, name) == 0;
}

// The other side of the binding or of the first equation that has the variable alone on one side; NULL: there is none.
static const Ast *definition(const Scope *s, const AstDeclaration *d) {
  const AstModel *m = s->flat->ast;
  if (d->binding) return d->binding;
  for (int i = 0; i < m->equations.count; i++) {
    const AstEquation *q = &m->equations.at[i];
    if (is_name(q->left, d->name)) return q->right;
    if (is_name(q->right, d->name)) return q->left;
  }
  return NULL;
}

// The derivative of a variable that is never to be a state. false: it cannot be avoided.
static bool rate_of_definition(Scope *s, int variable, Expr *rate) {
  Variable *v = &s->flat->variables.at[variable];
  if (variable >= s->flat->ast->declarations.count) return false;
  const AstDeclaration *d = &s->flat->ast->declarations.at[variable];
  if (v->state || v->differentiating || !scope_state_select(d, "never")) return false;
  const Ast *e = definition(s, d);
  if (!e) return false;
  v->differentiating = true;
  Typed t = scope_convert(s, e);
  *rate = scope_failed(s) ? 0 : total_derivative(s, e, t.e);
  s->flat->variables.at[variable].differentiating = false;
  return true;
}

Typed scope_rate(Scope *s, const Ast *at, int variable) {
  Variable *v = &s->flat->variables.at[variable];
  Expr rate;
  if (v->kind == VARIABLE_INPUT)
    return scope_wrong(s, at, ERR_UNSUPPORTED, "der() of the input %s is not supported", v->name);
  if (v->kind != VARIABLE_UNKNOWN) return real(expr_const(s->g, 0));
  if (v->boolean || v->integer)
    return scope_wrong(s, at, ERR_MODEL, "der() needs a Real variable, and %s is not one", v->name);
  if (v->when)
    return scope_wrong(s, at, ERR_MODEL,
                       "der() of %s: it is discrete, because the when-clause of line %s assigns it",
                       v->name, flat_line(s->flat, v->when_line).at);
  if (s->context == IN_PARAMETER)
    return scope_wrong(s, at, ERR_MODEL, "der(%s) varies in time and cannot stand here", v->name);
  if (rate_of_definition(s, variable, &rate)) return real(rate);
  if (!v->state) {
    v->state = true;
    v->derivative_name = arena_print(s->flat->arena, "der(%s)", v->name);
    v->derivative = expr_symbol(s->g, v->derivative_name, true);
  }
  return (Typed){.e = v->derivative, .continuous = true};
}

static Typed der_call(Scope *s, const Ast *call) {
  if (!scope_check_count(s, call, 1)) return real(0);
  const Ast *argument = call->args[0];
  Typed t = scope_convert(s, argument); // an undeclared name is reported as such
  if (scope_failed(s)) return real(0);
  int i = argument->kind == AST_NAME ? names_find(s->flat->names, argument->name) : -1;
  if (i >= 0) return scope_rate(s, argument, i);
  if (t.boolean)
    return scope_wrong(s, argument, ERR_MODEL, "der() needs a number, this is true or false");
  return real(total_derivative(s, argument, t.e));
}

static Typed no_event_call(Scope *s, const Ast *call) {
  if (!scope_check_count(s, call, 1)) return real(0);
  s->no_event++;
  Typed t = scope_convert(s, call->args[0]);
  s->no_event--;
  return t;
}

// The order of smooth: an expression of numbers and parameters. What it is at their values decides.
static bool smooth_order(Scope *s, const Ast *order, double *value) {
  Context outer = s->context;
  s->context = IN_PARAMETER;
  Typed t = scope_convert(s, order);
  s->context = outer;
  if (scope_failed(s)) return false;
  *value = t.boolean ? nan("") : flat_value(s->flat, t.e);
  if (*value == floor(*value)) return true;
  scope_wrong(s, order, ERR_SYNTAX, "the first argument of smooth is an integer such as 1");
  return false;
}

// smooth(n, e): with n >= 1 the kinks in e need no events; with 0 e is continuous only
static Typed smooth_call(Scope *s, const Ast *call) {
  double order;
  if (!scope_check_count(s, call, 2) || !smooth_order(s, call->args[0], &order)) return real(0);
  int off = order >= 1;
  s->no_event += off;
  Typed t = scope_convert(s, call->args[1]);
  s->no_event -= off;
  return t;
}

// homotopy(actual, simplified): the solver of simultaneous equations needs no simpler ones.
static Typed homotopy_call(Scope *s, const Ast *call) {
  return scope_check_count(s, call, 2) ? scope_convert(s, call->args[0]) : real(0);
}

// semiLinear(x, kp, kn): kp*x for x >= 0, kn*x for x < 0
static Typed semi_linear_call(Scope *s, const Ast *call) {
  Expr arg[3];
  if (!scope_check_count(s, call, 3)) return real(0);
  for (int i = 0; i < 3; i++) arg[i] = real_argument(s, call, i).e;
  if (scope_failed(s)) return real(0);
  Expr slope = expr_select(s->g, is_negative(s, arg[0], call), arg[2], arg[1]);
  return real(expr_mul(s->g, slope, arg[0]));
}

static Typed call(Scope *s, const Ast *e) {
  if (strcmp(e->name, "der") == 0) return der_call(s, e);
  if (strcmp(e->name, "noEvent") == 0) return no_event_call(s, e);
  if (strcmp(e->name, "smooth") == 0) return smooth_call(s, e);
  if (strcmp(e->name, "homotopy") == 0) return homotopy_call(s, e);
  if (strcmp(e->name, "semiLinear") == 0) return semi_linear_call(s, e);
  if (is_table_call(e->name)) return table_call(s, e);
  Typed t;
  if (s->more_calls(s, e, &t)) return t;
  return plain_call(s, e);
}

// ---------------------------------------------------------------- names

static Typed undeclared(Scope *s, const Ast *e) {
  const Names *names = s->flat->names;
  Arena *scratch = arena_new();
  int n = names_count(names);
  const char **all = ARENA_ARRAY(scratch, const char *, n + 1);
  for (int i = 0; i < n; i++) all[i] = names_at(names, i);
  all[n] = "time";
  const char *near = nearest_name(e->name, all, n + 1);
  if (near)
    scope_wrong(s, e, ERR_NAME, "'%s' is not declared in %s; did you mean '%s'?", e->name,
                s->flat->name, near);
  else
    scope_wrong(s, e, ERR_NAME, "'%s' is not declared in %s", e->name, s->flat->name);
  arena_free(scratch);
  return real(0);
}

static Typed name(Scope *s, const Ast *e) {
  if (strcmp(e->name, "time") == 0) {
    if (s->context == IN_PARAMETER)
      return scope_wrong(s, e, ERR_MODEL, "time varies and cannot stand here");
    return (Typed){.e = s->flat->now, .continuous = true};
  }
  int i = names_find(s->flat->names, e->name);
  if (i < 0 && e->name[0] == '\'')
    i = names_find(s->flat->names, name_unquoted(s->flat->arena, e->name));
  if (i < 0) return undeclared(s, e);
  const Variable *v = &s->flat->variables.at[i];
  bool fixed_value = v->kind == VARIABLE_PARAMETER || v->kind == VARIABLE_CONSTANT;
  if (s->context == IN_PARAMETER && v->computed)
    return scope_wrong(
        s, e, ERR_MODEL,
        "the initial equations determine '%s', so that it cannot stand here; write an "
        "initial equation instead",
        e->name);
  if (s->context == IN_PARAMETER && !fixed_value)
    return scope_wrong(
        s, e, ERR_MODEL,
        "'%s' varies in time and cannot stand here; only parameters and constants can", e->name);
  bool equation = s->context == IN_EQUATION || s->context == IN_INITIAL;
  Typed t = {equation && v->now ? v->now : v->node, v->boolean, v->integer, false, false};
  t.discrete = !fixed_value && (v->integer || v->now);
  t.continuous = !fixed_value && !t.discrete && !v->boolean;
  return t;
}

// wheel[2].om in a problem file
static Typed path(Scope *s, const Ast *e) {
  const char *whole = name_of_tree(s->flat->arena, e);
  if (!whole) return scope_wrong(s, e, ERR_SYNTAX, "a subscript must be a whole number here");
  Ast one = {.kind = AST_NAME, .name = whole, .line = e->line, .column = e->column, .depth = 1};
  return name(s, &one);
}

// ---------------------------------------------------------------- operators

bool scope_want(Scope *s, const Ast *at, Typed t, bool is_boolean, const char *what) {
  if (scope_failed(s)) return false;
  if (t.boolean == is_boolean) return true;
  scope_wrong(s, at, ERR_MODEL,
              is_boolean ? "%s needs true or false, this is a number"
                         : "%s needs a number, this is true or false",
              what);
  return false;
}

static Typed relation(Scope *s, const Ast *e, Typed first, Typed second) {
  Graph *g = s->g;
  Expr a = first.e, b = second.e;
  Typed t = of_two(boolean(0), first, second);
  bool swap = e->op == AST_GREATER || e->op == AST_GREATER_EQUAL;
  Expr left = swap ? b : a, right = swap ? a : b;
  bool strict = e->op == AST_LESS || e->op == AST_GREATER;
  Expr direct = expr_make(g, strict ? OP_LT : OP_LE, left, right, 0);
  Expr switching = expr_sub(g, left, right);
  t.e = direct;
  if (is_stepwise(t) || !makes_event(s, switching)) return t;
  EventKind kind = strict ? EVENT_NEGATIVE : EVENT_NOT_POSITIVE;
  return boolean(scope_event(s, kind, switching, direct, e));
}

static Typed equality(Scope *s, const Ast *e, Typed a, Typed b) {
  if (a.boolean != b.boolean)
    return scope_wrong(s, e, ERR_MODEL, "one side is a number, the other is true or false");
  bool whole = a.integer && b.integer;
  if (!a.boolean && !whole && (expr_varies(s->g, a.e) || expr_varies(s->g, b.e)))
    return scope_wrong(s, e, ERR_MODEL, "== and <> compare numbers that vary in time; use < or <=");
  return of_two(boolean(expr_make(s->g, e->op == AST_EQUAL ? OP_EQ : OP_NE, a.e, b.e, 0)), a, b);
}

static Expr arithmetic(Graph *g, AstOp op, Expr a, Expr b) {
  switch (op) {
  case AST_PLUS: return expr_add(g, a, b);
  case AST_MINUS: return expr_sub(g, a, b);
  case AST_TIMES: return expr_mul(g, a, b);
  case AST_DIVIDE: return expr_div(g, a, b);
  default: return expr_pow(g, a, b);
  }
}

// What a number that is never negative is the distance from 0 of: w of abs(w), w^2, w*w and roots of these; NULL: it is none of them.
static Ast *distance_of(const Ast *e) {
  bool call = e->kind == AST_CALL && e->arg_count == 1, pair = e->kind == AST_BINARY;
  if (call && strcmp(e->name, "abs") == 0) return e->args[0];
  if (call && strcmp(e->name, "sqrt") == 0) return distance_of(e->args[0]);
  if (pair && e->op == AST_TIMES && ast_equal(e->args[0], e->args[1])) return e->args[0];
  bool power = pair && e->op == AST_POWER && e->args[1]->kind == AST_NUMBER;
  double even = power ? e->args[1]->number / 2 : 0;
  return even > 0 && even == floor(even) ? e->args[0] : NULL;
}

static bool is_zero(const Ast *e) {
  return e->kind == AST_NUMBER && e->number == 0;
}

static Ast *ast_pair(Scope *s, const Ast *at, AstOp op, Ast *a, Ast *b) {
  Ast *e = ARENA_ARRAY(s->flat->arena, Ast, 1);
  *e = (Ast){.kind = AST_BINARY, .op = op, .line = at->line, .column = at->column, .arg_count = 2};
  e->depth = (a->depth > b->depth ? a->depth : b->depth) + 1;
  e->args = ARENA_ARRAY(s->flat->arena, Ast *, 2);
  e->args[0] = a, e->args[1] = b;
  return e;
}

// abs(w) > 0 as w > 0 or w < 0, and abs(w) <= 0 as w >= 0 and w <= 0: abs(w) itself only touches 0, and its zero would be no
// event. NULL: e is of another form.
static const Ast *split_distance(Scope *s, const Ast *e) {
  bool right = is_zero(e->args[1]);
  if (right == is_zero(e->args[0])) return NULL;
  Ast *w = distance_of(e->args[!right]), *zero = e->args[right];
  bool away = e->op == (right ? AST_GREATER : AST_LESS);
  bool there = e->op == (right ? AST_LESS_EQUAL : AST_GREATER_EQUAL);
  if (!w || !(away || there)) return NULL;
  Ast *above = ast_pair(s, e, away ? AST_GREATER : AST_GREATER_EQUAL, w, zero);
  Ast *below = ast_pair(s, e, away ? AST_LESS : AST_LESS_EQUAL, w, zero);
  return ast_pair(s, e, away ? AST_OR : AST_AND, above, below);
}

static Typed binary(Scope *s, const Ast *e) {
  Graph *g = s->g;
  const Ast *split = split_distance(s, e);
  if (split) return binary(s, split);
  Typed a = scope_convert(s, e->args[0]), b = scope_convert(s, e->args[1]);
  if (scope_failed(s)) return real(0);
  if (e->op == AST_EQUAL || e->op == AST_NOT_EQUAL) return equality(s, e, a, b);
  bool logic = e->op == AST_AND || e->op == AST_OR;
  const char *what = logic ? "each side of 'and' and 'or'" : "this operator";
  if (!scope_want(s, e->args[0], a, logic, what) || !scope_want(s, e->args[1], b, logic, what))
    return real(0);
  switch (e->op) {
  case AST_PLUS:
  case AST_MINUS:
  case AST_TIMES:
  case AST_DIVIDE:
  case AST_POWER: {
    Typed t = of_two(real(arithmetic(g, e->op, a.e, b.e)), a, b);
    t.integer = a.integer && b.integer && e->op != AST_DIVIDE && e->op != AST_POWER;
    return t;
  }
  case AST_AND: return of_two(boolean(expr_make(g, OP_AND, a.e, b.e, 0)), a, b);
  case AST_OR: return of_two(boolean(expr_make(g, OP_OR, a.e, b.e, 0)), a, b);
  default: return relation(s, e, a, b);
  }
}

static Typed unary(Scope *s, const Ast *e) {
  Typed a = scope_convert(s, e->args[0]);
  if (!scope_want(s, e->args[0], a, e->op == AST_NOT, e->op == AST_NOT ? "'not'" : "a sign"))
    return real(0);
  if (e->op == AST_NOT) return of_two(boolean(expr_make(s->g, OP_NOT, a.e, 0, 0)), a, a);
  if (e->op == AST_MINUS) a.e = expr_neg(s->g, a.e);
  return a;
}

static Typed if_expression(Scope *s, const Ast *e) {
  Typed c = scope_convert(s, e->args[0]), a = scope_convert(s, e->args[1]),
        b = scope_convert(s, e->args[2]);
  if (!scope_want(s, e->args[0], c, true, "'if'")) return real(0);
  if (a.boolean != b.boolean)
    return scope_wrong(s, e, ERR_MODEL, "one branch is a number, the other is true or false");
  Typed t = {.e = expr_select(s->g, c.e, a.e, b.e), .boolean = a.boolean};
  t.integer = a.integer && b.integer;
  return of_two(of_two(t, a, b), c, c);
}

Typed scope_convert(Scope *s, const Ast *e) {
  if (scope_failed(s)) return real(0);
  switch (e->kind) {
  case AST_NUMBER:
    return (Typed){.e = expr_const(s->g, e->number), .integer = e->number == floor(e->number)};
  case AST_BOOL: return boolean(expr_const(s->g, e->number));
  case AST_STRING:
    return scope_wrong(s, e, ERR_UNSUPPORTED, "a text cannot stand in an expression");
  case AST_ARRAY: return scope_wrong(s, e, ERR_UNSUPPORTED, "arrays are not supported yet");
  case AST_NAME: return name(s, e);
  case AST_CALL: return call(s, e);
  case AST_UNARY: return unary(s, e);
  case AST_BINARY: return binary(s, e);
  case AST_IF: return if_expression(s, e);
  case AST_FIELD:
  case AST_INDEX: return path(s, e);
  default: break;
  }
  return scope_wrong(s, e, ERR_UNSUPPORTED,
                     "this needs a single number; arrays are not allowed here");
}
