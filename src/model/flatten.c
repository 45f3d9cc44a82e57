#include "model/flatten.h"

#include <math.h>
#include <string.h>

#include "expr/simplify.h"
#include "lang/source_warn.h"
#include "model/scope.h"
#include "model/units.h"

// ---------------------------------------------------------------- parameters

// Of parameters that follow from parameters; keeps the recursion bounded.
enum { DEPTH_MOST = 1000 };

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
static Expr add_parameter(Scope *s, const char *parameter, int variable, bool is_start,
                          Expr expression) {
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
  if (scope_failed(s)) return false;
  bool is_boolean = d->type == AST_BOOLEAN;
  if (t.boolean == is_boolean) return true;
  scope_wrong(s, at, ERR_MODEL,
              is_boolean ? "%s is Boolean, this is a number"
                         : "%s is a number, this is true or false",
              d->name);
  return false;
}

static bool check_parameter_value(Scope *s, const AstDeclaration *d, Expr e) {
  double v = flat_value(s->flat, e);
  const Ast *at = d->binding;
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
  const AstAttribute *start = find_attribute(d, "start");
  const Ast *e = d->binding ? d->binding : start ? start->value : NULL;
  if (!e) return expr_const(s->g, 0);
  Typed t = scope_convert(s, e);
  check_declared_type(s, d, e, t);
  return t.e;
}

// Also called by scope.c, for a parameter that an expression needs before its turn.
static bool define_parameter(Scope *s, int i) {
  const AstDeclaration *d = &s->flat->ast->declarations.at[i];
  Context outer = s->context;
  s->context = IN_PARAMETER;
  s->visiting[i] = 1;
  if (s->depth++ == DEPTH_MOST)
    return source_fail(s->source, s->err, ERR_LIMIT, d->line, d->column,
                       "more than %d parameters need each other in a chain", DEPTH_MOST);
  Expr e = parameter_expression(s, d);
  s->depth--;
  s->visiting[i] = 2;
  s->context = outer;
  if (scope_failed(s)) return false;
  Variable *v = &s->flat->variables.at[i];
  if (d->binding && !check_parameter_value(s, d, e)) return false;
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
  v.min = -HUGE_VAL, v.max = HUGE_VAL, v.nominal = 1;
  bool varies = v.kind == VARIABLE_UNKNOWN || v.kind == VARIABLE_INPUT;
  if (varies && v.integer)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "Integer variables that vary in time are not supported yet; make %s Real",
                       d->name);
  if (varies) v.node = expr_symbol(s->g, d->name, true);
  names_set(f->names, d->name, f->variables.count);
  array_push(f->arena, &f->variables, v);
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
  if (min > max)
    return source_fail(s->source, s->err, ERR_VALUE, d->line, d->column,
                       "%s: min %g is above max %g", d->name, min, max);
  if (v->kind == VARIABLE_PARAMETER && !fixed)
    return source_fail(s->source, s->err, ERR_UNSUPPORTED, d->line, d->column,
                       "parameter %s with fixed = false is not supported yet", d->name);
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
  const AstAttribute *start = find_attribute(d, "start");
  const Ast *e = d->binding ? d->binding : start ? start->value : NULL;
  if (!e) return true;
  s->context = IN_PARAMETER;
  Typed t = scope_convert(s, e);
  if (!check_declared_type(s, d, e, t)) return false;
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
    if (!isfinite(value)) {
      scope_wrong(s, start->value, ERR_VALUE, "the start value of %s is not finite", d->name);
      return false;
    }
    e = t.e;
  }
  Variable *v = &s->flat->variables.at[i];
  v->has_start = start != NULL;
  v->start = e;
  if (v->state || v->fixed)
    v->start = add_parameter(s, arena_print(s->flat->arena, "%s.start", v->name), i, true, e);
  return true;
}

// ---------------------------------------------------------------- equations

static bool add_equation(Scope *s, const AstEquation *q, Context context, bool from_binding) {
  s->context = context;
  Typed left = scope_convert(s, q->left), right = scope_convert(s, q->right);
  if (scope_failed(s)) return false;
  if (left.boolean != right.boolean)
    return source_fail(s->source, s->err, ERR_MODEL, q->line, q->column,
                       "one side of the equation is a number, the other is true or false");
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
  bool fixed_value = d->role == AST_PARAMETER || d->role == AST_CONSTANT;
  return !fixed_value || s->visiting[i] == 2 || define_parameter(s, i);
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

static void warn_outside(Flat *f, const Parameter *p) {
  const Variable *v = &f->variables.at[p->variable];
  bool low = p->value<v->min, high = p->value> v->max;
  if (low || high)
    source_warn(f->source, &f->warnings, v->line, v->column, "%s = %g is %s its %s %g", p->name,
                p->value, low ? "below" : "above", low ? "min" : "max", low ? v->min : v->max);
}

Flat *flatten(Arena *a, const Source *source, const AstModel *m, const Override *overrides,
              int count, Err *err) {
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
  s.define_parameter = define_parameter;
  s.visiting = ARENA_ARRAY(a, char, m->declarations.count + 1);
  bool ok = for_declarations(&s, step_declare) && for_declarations(&s, step_parameter) &&
            for_declarations(&s, step_bounds) && for_declarations(&s, step_binding) &&
            add_equations(&s) && for_declarations(&s, step_start);
  if (!ok || scope_failed(&s)) return NULL;
  for (int i = 0; i < f->parameters.count; i++) warn_outside(f, &f->parameters.at[i]);
  units_check(m, source, a, &f->warnings);
  return f;
}

bool flat_expression(Flat *f, const Source *source, const Ast *e, Expr *out, Err *err) {
  Scope s = {.flat = f, .g = f->graph, .source = source, .err = err, .context = IN_QUERY};
  *out = scope_convert(&s, e).e;
  return !scope_failed(&s);
}
