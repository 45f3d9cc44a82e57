#include "model/flatten.h"

#include <math.h>
#include <string.h>

#include "base/deep.h"
#include "expr/simplify.h"
#include "lang/source_warn.h"
#include "model/discrete.h"
#include "model/known.h"
#include "model/scope.h"
#include "model/states.h"
#include "model/units.h"
#include "model/vanish.h"
#include "model/when.h"

// ---------------------------------------------------------------- parameters

// Of parameters that follow from parameters; keeps the recursion bounded.
static void set_symbol_value(Flat *f, Expr symbol, double value) {
  flat_value(f, symbol);
  f->values[symbol] = value;
}

static const Override *find_override(const Scope *s, const char *parameter) {
  for (int i = 0; i < s->override_count; i++)
    if (strcmp(s->overrides[i].name, parameter) == 0) return &s->overrides[i];
  return NULL;
}

static const AstAttribute *find_attribute(const AstDeclaration *d, const char *attribute) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, attribute) == 0) return &d->attributes.at[i];
  return NULL;
}

static bool is_final(const AstDeclaration *d, bool is_start) {
  const AstAttribute *start = is_start ? find_attribute(d, "start") : NULL;
  return d->final || (start && start->final);
}

// A parameter whose expression holds only numbers is independent: it gets a symbol of its own and that value.
static Expr add_parameter(Scope *s, const char *parameter, int variable, bool is_start,
                          Expr expression) {
  Flat *f = s->flat;
  const Override *o = find_override(s, parameter);
  Parameter p = {.name = parameter, .variable = variable, .is_start = is_start};
  p.final = variable < f->ast->declarations.count &&
            is_final(&f->ast->declarations.at[variable], is_start);
  p.dependent = !o && !expr_is_const(s->g, expression);
  p.value = o ? o->value : flat_value(f, expression);
  p.node = p.dependent ? expression : expr_symbol(s->g, parameter, false);
  if (!p.dependent) set_symbol_value(f, p.node, p.value);
  names_set(f->parameter_names, parameter, f->parameters.count);
  array_push(f->arena, &f->parameters, p);
  return p.node;
}

static bool check_declared_type(Scope *s, const AstDeclaration *d, const Ast *at, Typed t) {
  if (scope_failed(s)) return false;
  bool is_boolean = d->type == AST_BOOLEAN;
  if (t.boolean == is_boolean) return true;
  scope_wrong(s, at, ERR_MODEL,
              is_boolean ? "%s is Boolean, this is a number"
                         : "%s is a number, this is true or false",
              d->name);
  return false;
}

static const Ast *value_text(const AstDeclaration *d) { // of a parameter or input; NULL: none
  const AstAttribute *start = find_attribute(d, "start");
  return d->binding ? d->binding : start ? start->value : NULL;
}

static bool check_parameter_value(Scope *s, const AstDeclaration *d, Expr e) {
  double v = flat_value(s->flat, e);
  const Ast *at = value_text(d);
  if (d->type == AST_INTEGER && v != floor(v)) {
    scope_wrong(s, at, ERR_VALUE, "%s is Integer, its value is %g", d->name, v);
    return false;
  }
  if (!isfinite(v)) {
    scope_wrong(s, at, ERR_VALUE, "the value of %s is %s", d->name,
                isnan(v) ? "not a number" : "infinite");
    return false;
  }
  return true;
}

static Expr parameter_expression(Scope *s, const AstDeclaration *d) {
  const Ast *e = value_text(d);
  if (!e) return expr_const(s->g, 0);
  Typed t = scope_convert(s, e);
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
  if (scope_failed(s)) return false;
  Variable *v = &s->flat->variables.at[i];
  if (value_text(d) && !check_parameter_value(s, d, e)) return false;
  if (v->kind == VARIABLE_CONSTANT) {
    if (!d->binding) {
      source_fail(s->source, s->err, ERR_MODEL, d->line, d->column, "the constant %s has no value",
                  d->name);
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

// ---------------------------------------------------------------- order of parameters

typedef struct Mention { // of a parameter in an expression
  int parameter;
  const Ast *at;
} Mention;

typedef struct Needs { // a parameter that waits for those which its expression mentions
  int parameter;
  ARRAY(Mention) list;
  int next;
} Needs;

static bool has_fixed_value(const Scope *s, int i) {
  const Variable *v = &s->flat->variables.at[i];
  return v->kind == VARIABLE_PARAMETER || v->kind == VARIABLE_CONSTANT;
}

static void add_mentions(Scope *s, Needs *n, const Ast *e) {
  if (e->kind == AST_NAME) {
    int i = names_find(s->flat->names, e->name);
    if (i >= 0 && has_fixed_value(s, i) && s->visiting[i] != 2)
      array_push(s->flat->arena, &n->list, ((Mention){i, e}));
  }
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL) return;
  for (int k = 0; k < e->arg_count; k++) add_mentions(s, n, e->args[k]);
}

static Needs needs_of(Scope *s, int i) {
  Needs n = {.parameter = i};
  const Ast *e = value_text(&s->flat->ast->declarations.at[i]);
  s->visiting[i] = 1;
  if (e) add_mentions(s, &n, e);
  return n;
}

// Defines parameter i after those it needs. Without recursion from one to the next: a chain of them has no limit.
static bool define_in_order(Scope *s, int i) {
  ARRAY(Needs) waiting = {0};
  array_push(s->flat->arena, &waiting, needs_of(s, i));
  while (waiting.count) {
    Needs *n = &waiting.at[waiting.count - 1];
    if (n->next == n->list.count) {
      if (!define_parameter(s, n->parameter)) return false;
      waiting.count--;
      continue;
    }
    Mention m = n->list.at[n->next++];
    if (s->visiting[m.parameter] == 1) {
      scope_wrong(s, m.at, ERR_MODEL, "circular definition: the value of '%s' depends on itself",
                  m.at->name);
      return false;
    }
    if (s->visiting[m.parameter] == 0)
      array_push(s->flat->arena, &waiting, needs_of(s, m.parameter));
  }
  return true;
}

// ---------------------------------------------------------------- declarations

static bool declare(Scope *s, const AstDeclaration *d) {
  Flat *f = s->flat;
  if (names_find(f->names, d->name) >= 0 || strcmp(d->name, "time") == 0)
    return source_fail(s->source, s->err, ERR_NAME, d->line, d->column,
                       strcmp(d->name, "time") == 0 ? "'%s' is the name of the time"
                                                    : "'%s' is declared twice",
                       d->name);
  static const VariableKind KIND[] = {[AST_VARIABLE] = VARIABLE_UNKNOWN,
                                      [AST_PARAMETER] = VARIABLE_PARAMETER,
                                      [AST_CONSTANT] = VARIABLE_CONSTANT,
                                      [AST_INPUT] = VARIABLE_INPUT,
                                      [AST_OUTPUT] = VARIABLE_UNKNOWN};
  Variable v = {.name = d->name,
                .description = d->description,
                .unit = "",
                .line = d->line,
                .column = d->column};
  v.kind = KIND[d->role];
  v.output = d->role == AST_OUTPUT;
  v.boolean = d->type == AST_BOOLEAN;
  v.integer = d->type == AST_INTEGER;
  v.hidden = d->hidden;
  v.min = -HUGE_VAL, v.max = HUGE_VAL, v.nominal = 1;
  bool varies = v.kind == VARIABLE_UNKNOWN || v.kind == VARIABLE_INPUT;
  if (v.kind == VARIABLE_INPUT && v.integer)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "Integer inputs are not supported yet; make %s Real", d->name);
  if (varies) v.node = expr_symbol(s->g, d->name, true);
  names_set(f->names, d->name, f->variables.count);
  array_push(f->arena, &f->variables, v);
  return true;
}

// ---------------------------------------------------------------- computed parameters

static bool is_not_fixed(const AstDeclaration *d) {
  const AstAttribute *fixed = find_attribute(d, "fixed");
  return d->role == AST_PARAMETER && fixed && fixed->value->kind == AST_BOOL &&
         fixed->value->number == 0;
}

static bool make_computed(Scope *s, int i) {
  const AstDeclaration *d = &s->flat->ast->declarations.at[i];
  Variable *v = &s->flat->variables.at[i];
  if (v->boolean || v->integer)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "%s follows from a parameter with fixed = false or is one: it must be Real",
                       d->name);
  v->kind = VARIABLE_UNKNOWN;
  v->computed = true;
  v->node = expr_symbol(s->g, d->name, true);
  return true;
}

static bool mentions_computed(const Scope *s, const Ast *e) {
  if (e->kind == AST_NAME) {
    int i = names_find(s->flat->names, e->name);
    return i >= 0 && s->flat->variables.at[i].computed;
  }
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL) return false;
  for (int k = 0; k < e->arg_count; k++)
    if (mentions_computed(s, e->args[k])) return true;
  return false;
}

static bool add_constant_state(Scope *s, int i) {
  const AstDeclaration *d = &s->flat->ast->declarations.at[i];
  if (d->binding)
    return source_fail(s->source, s->err, ERR_MODEL, d->line, d->column,
                       "parameter %s has a value and fixed = false; remove one of them, or write "
                       "the value as its start",
                       d->name);
  if (!make_computed(s, i)) return false;
  Expr rate = scope_rate(s, NULL, i).e;
  Equation e = {.left = rate, .right = expr_const(s->g, 0), .line = d->line, .column = d->column};
  e.residual = rate;
  e.description = "";
  e.from_binding = true;
  array_push(s->flat->arena, &s->flat->equations, e);
  return true;
}

// Parameters with fixed = false, and those whose values contain them.
static bool find_computed(Scope *s) {
  const AstModel *m = s->flat->ast;
  bool more = false;
  s->context = IN_EQUATION;
  for (int i = 0; i < m->declarations.count; i++) {
    if (!is_not_fixed(&m->declarations.at[i])) continue;
    if (!add_constant_state(s, i)) return false;
    more = true;
  }
  while (more) {
    more = false;
    for (int i = 0; i < m->declarations.count; i++) {
      const AstDeclaration *d = &m->declarations.at[i];
      bool parameter = s->flat->variables.at[i].kind == VARIABLE_PARAMETER;
      if (!parameter || !d->binding || !mentions_computed(s, d->binding)) continue;
      if (!make_computed(s, i)) return false;
      more = true;
    }
  }
  return true;
}

static bool number_attribute(Scope *s, const AstDeclaration *d, const char *attribute,
                             double *out) {
  const AstAttribute *at = find_attribute(d, attribute);
  if (!at) return true;
  s->context = IN_PARAMETER;
  Typed t = scope_convert(s, at->value);
  if (!scope_want(s, at->value, t, false, attribute)) return false;
  *out = flat_value(s->flat, t.e);
  if (isnan(*out))
    scope_wrong(s, at->value, ERR_VALUE, "%s of %s is not a number", attribute, d->name);
  return !scope_failed(s);
}

static bool flag_attribute(Scope *s, const AstDeclaration *d, const char *attribute, bool *out) {
  const AstAttribute *at = find_attribute(d, attribute);
  if (!at) return true;
  s->context = IN_PARAMETER;
  Typed t = scope_convert(s, at->value);
  if (!scope_want(s, at->value, t, true, attribute)) return false;
  *out = flat_value(s->flat, t.e) != 0;
  return true;
}

static const char *const ATTRIBUTES[] = {"start",       "fixed",    "min",         "max",
                                         "nominal",     "unit",     "displayUnit", "quantity",
                                         "stateSelect", "unbounded"};
enum { ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES };

static bool check_attribute_names(Scope *s, const AstDeclaration *d) {
  for (int i = 0; i < d->attributes.count; i++) {
    const AstAttribute *at = &d->attributes.at[i];
    bool is_known = false;
    for (int k = 0; k < ATTRIBUTE_COUNT; k++) is_known |= strcmp(at->name, ATTRIBUTES[k]) == 0;
    const char *near = is_known ? NULL : nearest_name(at->name, ATTRIBUTES, ATTRIBUTE_COUNT);
    if (!is_known)
      return source_fail(s->source, s->err, ERR_NAME, at->line, at->column,
                         "'%s' is not an attribute of a variable; %s%s%s", at->name,
                         near ? "did you mean '"
                              : "allowed are start, fixed, min, max, nominal, unit",
                         near ? near : "", near ? "'?" : "");
    for (int k = 0; k < i; k++)
      if (strcmp(at->name, d->attributes.at[k].name) == 0)
        return source_fail(s->source, s->err, ERR_NAME, at->line, at->column, "%s is given twice",
                           at->name);
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
  if (min == HUGE_VAL || max == -HUGE_VAL)
    return source_fail(s->source, s->err, ERR_VALUE, d->line, d->column, "%s: %s leaves no value",
                       d->name, min == HUGE_VAL ? "an infinite min" : "a max of -infinity");
  if (min > max)
    return source_fail(s->source, s->err, ERR_VALUE, d->line, d->column,
                       "%s: min %g is above max %g", d->name, min, max);
  if (v->kind == VARIABLE_PARAMETER && !fixed)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "parameter %s: write fixed = false as such, not as an expression", d->name);
  if (!(nominal != 0) || !isfinite(nominal))
    return source_fail(s->source, s->err, ERR_VALUE, d->line, d->column,
                       "%s: nominal must be a number other than 0", d->name);
  const AstAttribute *unit = find_attribute(d, "unit");
  if (unit && unit->value->kind != AST_STRING)
    return source_fail(s->source, s->err, ERR_SYNTAX, unit->line, unit->column,
                       "unit is a text such as \"m/s\"");
  v->unit = unit ? unit->value->name : "";
  v->min = min, v->max = max, v->nominal = fabs(nominal), v->fixed = fixed;
  return true;
}

static bool read_input_default(Scope *s, int i, const AstDeclaration *d) {
  const Ast *e = value_text(d);
  if (!e) return true;
  s->context = IN_PARAMETER;
  Typed t = scope_convert(s, e);
  if (!check_declared_type(s, d, e, t) || !check_parameter_value(s, d, t.e)) return false;
  s->flat->variables.at[i].default_value = flat_value(s->flat, t.e);
  s->flat->variables.at[i].default_follows = !expr_is_const(s->g, t.e);
  s->flat->variables.at[i].has_value = true;
  return true;
}

// Start values of unknowns become parameters x.start.
static bool read_start(Scope *s, int i, const AstDeclaration *d) {
  const AstAttribute *start = find_attribute(d, "start");
  Expr e = expr_const(s->g, 0);
  if (start) {
    s->context = IN_PARAMETER;
    Typed t = scope_convert(s, start->value);
    if (!check_declared_type(s, d, start->value, t)) return false;
    double value = flat_value(s->flat, t.e);
    if (d->type == AST_INTEGER && value != floor(value)) {
      scope_wrong(s, start->value, ERR_VALUE, "%s is Integer, its start value is %g", d->name,
                  value);
      return false;
    }
    if (!isfinite(value)) {
      scope_wrong(s, start->value, ERR_VALUE, "the start value of %s is not finite", d->name);
      return false;
    }
    e = t.e;
  }
  Variable *v = &s->flat->variables.at[i];
  v->has_start = start != NULL;
  v->start = e;
  if ((v->state || v->fixed) && !v->computed && !d->startless)
    v->start = add_parameter(s, arena_print(s->flat->arena, "%s.start", v->name), i, true, e);
  return true;
}

// Of derivatives that were differentiated: they begin at 0 unless something determines them.
static bool add_starts_of_rates(Scope *s) {
  Flat *f = s->flat;
  for (int i = f->ast->declarations.count; i < f->variables.count; i++) {
    const char *name = arena_print(f->arena, "%s.start", f->variables.at[i].name);
    f->variables.at[i].start = add_parameter(s, name, i, true, expr_const(s->g, 0));
  }
  return true;
}

// ---------------------------------------------------------------- equations

static bool check_integer(Scope *s, const AstEquation *q, Typed right) {
  int i = q->left->kind == AST_NAME ? names_find(s->flat->names, q->left->name) : -1;
  if (i < 0 || !s->flat->variables.at[i].integer || right.integer) return true;
  return source_fail(s->source, s->err, ERR_MODEL, q->line, q->column,
                     "%s is Integer, this is Real; write integer(...) to round it down",
                     s->flat->variables.at[i].name);
}

static bool add_equation(Scope *s, const AstEquation *q, Context context, bool from_binding) {
  s->context = context;
  Typed left = scope_convert(s, q->left), right = scope_convert(s, q->right);
  if (scope_failed(s)) return false;
  if (left.boolean != right.boolean)
    return source_fail(s->source, s->err, ERR_MODEL, q->line, q->column,
                       "one side of the equation is a number, the other is true or false");
  if (!check_integer(s, q, right)) return false;
  Equation e = {.left = left.e, .right = right.e, .line = q->line, .column = q->column};
  e.residual = expr_sub(s->g, left.e, right.e);
  e.description = q->description;
  e.from_binding = from_binding;
  if (context == IN_INITIAL)
    array_push(s->flat->arena, &s->flat->initial_equations, e);
  else
    array_push(s->flat->arena, &s->flat->equations, e);
  return true;
}

static bool add_binding(Scope *s, const AstDeclaration *d) {
  Ast *left = ARENA_NEW(s->flat->arena, Ast);
  *left = (Ast){.kind = AST_NAME, .name = d->name, .line = d->line, .column = d->column};
  AstEquation q = {.left = left,
                   .right = d->binding,
                   .line = d->line,
                   .column = d->column,
                   .description = d->description};
  return add_equation(s, &q, IN_EQUATION, true);
}

typedef bool Step(Scope *s, int i, const AstDeclaration *d);

static bool step_declare(Scope *s, int i, const AstDeclaration *d) {
  (void)i;
  return check_attribute_names(s, d) && declare(s, d);
}

static bool step_parameter(Scope *s, int i, const AstDeclaration *d) {
  (void)d;
  return !has_fixed_value(s, i) || s->visiting[i] == 2 || define_in_order(s, i);
}

static bool step_bounds(Scope *s, int i, const AstDeclaration *d) {
  return read_bounds(s, i, d);
}

static bool step_binding(Scope *s, int i, const AstDeclaration *d) {
  if (d->role == AST_INPUT) return read_input_default(s, i, d);
  bool unknown = s->flat->variables.at[i].kind == VARIABLE_UNKNOWN;
  return !unknown || !d->binding || add_binding(s, d);
}

static bool step_start(Scope *s, int i, const AstDeclaration *d) {
  return s->flat->variables.at[i].kind != VARIABLE_UNKNOWN || read_start(s, i, d);
}

static bool step_states(Flat *f) {
  drop_vanishing_states(f);
  choose_states(f);
  return true;
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

// Without events: what is checked at every step need not be located.
static bool add_assert(Scope *s, const AstAction *a) {
  s->context = IN_EQUATION;
  s->no_event++;
  Typed t = scope_convert(s, a->left);
  s->no_event--;
  if (!scope_want(s, a->left, t, true, "assert")) return false;
  const char *text = a->right && a->right->kind == AST_STRING ? a->right->name : "";
  const Ast place = {.line = a->line, .column = a->column};
  scope_assert(s, &place, t.e, text, a->warning);
  return true;
}

static bool add_asserts(Scope *s) {
  const AstModel *m = s->flat->ast;
  for (int i = 0; i < m->asserts.count; i++)
    if (!add_assert(s, &m->asserts.at[i])) return false;
  return true;
}

static void warn_outside(Flat *f, const Parameter *p) {
  const Variable *v = &f->variables.at[p->variable];
  bool low = p->value<v->min, high = p->value> v->max;
  if (low || high)
    source_warn(f->source, &f->warnings, v->line, v->column, "%s = %g is %s its %s %g", p->name,
                p->value, low ? "below" : "above", low ? "min" : "max", low ? v->min : v->max);
}

// Every variable that occurs in der() is a state, and no other is; but see scope_rate for never. The other wishes are hints.
static bool check_state_select(Scope *s, int i, const AstDeclaration *d) {
  const Variable *v = &s->flat->variables.at[i];
  if (v->kind != VARIABLE_UNKNOWN) return true;
  const AstAttribute *at = find_attribute(d, "stateSelect");
  if (!v->state && scope_state_select(d, "always"))
    return source_fail(s->source, s->err, ERR_MODEL, at->line, at->column,
                       "stateSelect = StateSelect.always of %s cannot be followed: %s is not a "
                       "state, because der(%s) does not occur",
                       v->name, v->name, v->name);
  if (v->state && scope_state_select(d, "never"))
    return source_fail(s->source, s->err, ERR_MODEL, at->line, at->column,
                       "stateSelect = StateSelect.never of %s cannot be followed: der(%s) occurs, "
                       "and no equation %s = ... says what it is the derivative of",
                       v->name, v->name, v->name);
  return true;
}

static Flat *flatten_here(Arena *a, const Source *source, const AstModel *m,
                          const Override *overrides, int count, Err *err) {
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
  expr_make_time(f->graph);
  f->time = f->graph->time, f->origin = f->graph->origin, f->now = f->graph->now;
  Scope s = {.flat = f, .g = f->graph, .source = source, .err = err, .overrides = overrides};
  s.override_count = count;
  s.more_calls = discrete_call;
  s.visiting = ARENA_ARRAY(a, char, m->declarations.count + 1);
  bool ok = for_declarations(&s, step_declare) && find_computed(&s) &&
            for_declarations(&s, step_parameter) && for_declarations(&s, step_bounds) &&
            when_scan(&s) && for_declarations(&s, step_binding) && add_equations(&s) &&
            when_convert(&s) && when_finish(&s) && add_asserts(&s) && step_states(f) &&
            for_declarations(&s, step_start) && add_starts_of_rates(&s) &&
            for_declarations(&s, check_state_select);
  if (!ok || scope_failed(&s)) return NULL;
  for (int i = 0; i < f->parameters.count; i++) warn_outside(f, &f->parameters.at[i]);
  if (!m->closed) units_check(m, source, a, &f->warnings); // a closed model has no equations
  return f;
}

typedef struct Flattening { // the arguments of flatten, and its result
  Arena *arena;
  const Source *source;
  const AstModel *ast;
  const Override *overrides;
  int override_count;
  Err *err;
  Flat *flat;
} Flattening;

static void run_flattening(void *data) {
  Flattening *f = data;
  f->flat = flatten_here(f->arena, f->source, with_known_parameters(f->arena, f->ast), f->overrides,
                         f->override_count, f->err);
}

bool flat_may_change(const Flat *f, int parameter, Err *err) {
  const Parameter *p = &f->parameters.at[parameter];
  const AstDeclaration *d = &f->ast->declarations.at[p->variable];
  return !p->final ||
         fail(err, ERR_NAME, "%s is final (%s:%d:%d): only the text of the model can change it",
              p->name, f->source->name, d->line, d->column);
}

Flat *flatten(Arena *a, const Source *source, const AstModel *m, const Override *overrides,
              int count, Err *err) {
  Flattening f = {a, source, m, overrides, count, err, NULL};
  deep_call(run_flattening, &f); // it recurses over all expressions
  return f.flat;
}

typedef struct Query { // an expression and what becomes of it
  Scope scope;
  const Ast *tree;
  Expr e;
} Query;

static void convert_query(void *data) {
  Query *q = data;
  q->e = scope_convert(&q->scope, q->tree).e;
}

bool flat_expression(Flat *f, const Source *source, const Ast *e, Expr *out, Err *err) {
  Query q = {.scope = {.flat = f, .g = f->graph, .source = source, .err = err}, .tree = e};
  q.scope.context = IN_QUERY;
  q.scope.more_calls = discrete_call;
  ast_recurse(e, convert_query, &q);
  *out = q.e;
  return !scope_failed(&q.scope);
}
