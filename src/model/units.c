#include "model/units.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "lang/source_warn.h"
#include "model/unit.h"

// ---- what is known of an expression ----

typedef enum Kind {
  UNKNOWN, // fits everywhere
  NUMBER,  // made of literals: in a sum it has the unit of its neighbour, in a product none
  UNIT,
} Kind;

typedef struct UnitValue {
  Kind kind;
  bool is_declared; // a unit that the user wrote is in it; else only time and functions
  Unit unit;        // of a UNIT
  const char *text; // how to call the unit, or NULL: by its powers
  double number;    // of a NUMBER; NaN when it is not known
} UnitValue;

typedef struct UnitCheck {
  const Source *source;
  Arena *arena;
  Warnings *out;
  Names *index; // of variables, into values
  const UnitValue *values;
  bool warned; // about the present equation, binding or attribute
} UnitCheck;

static const UnitValue ANYTHING = {.kind = UNKNOWN};

static UnitValue number(double value) {
  return (UnitValue){.kind = NUMBER, .number = value};
}

static UnitValue plain_unit(const char *text) { // not declared by the user
  UnitValue v = {.kind = UNIT, .text = text};
  if (!unit_parse(text, &v.unit, NULL)) v.kind = UNKNOWN;
  return v;
}

static const char *name_of(const UnitCheck *c, const UnitValue *v) {
  if (v->text) return v->text;
  Text text;
  text_init(&text);
  unit_print(&text, &v->unit);
  const char *name = arena_copy(c->arena, text.at, text.length);
  text_done(&text);
  return name;
}

// ---- products ----

// Such a factor belongs to a law (1/2 m v^2); any other may convert a unit (3600, 1e-3).
static bool is_of_a_law(double factor) {
  static const double FACTORS[] = {0.25, 0.5, 1, 2, 3, 4};
  for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++)
    if (fabs(factor) == FACTORS[i]) return true;
  return false;
}

// In 1 - time/2 the numbers may well have units of their own.
static bool is_only_time(const UnitValue *v) {
  return v->kind == UNIT && !v->is_declared && !unit_is_number(&v->unit);
}

static UnitValue scaled(UnitValue v, double factor) {
  if (is_only_time(&v)) return ANYTHING;
  if (!is_of_a_law(factor)) v.unit.any_scale = true;
  return v;
}

static bool is_one(const UnitValue *v) {
  return unit_is_number(&v->unit) && !v->unit.any_scale && v->unit.scale == 1;
}

// a * b^power of two units
static UnitValue times_power(const UnitValue *a, const UnitValue *b, double power) {
  UnitValue v = {.kind = UNIT, .is_declared = a->is_declared || b->is_declared};
  if (!unit_times_power(&a->unit, &b->unit, power, &v.unit)) return ANYTHING;
  if (is_one(b))
    v.text = a->text;
  else if (is_one(a) && power == 1)
    v.text = b->text;
  return v;
}

static UnitValue product(const UnitValue *a, const UnitValue *b) {
  if (a->kind == UNKNOWN || b->kind == UNKNOWN) return ANYTHING;
  if (a->kind == NUMBER && b->kind == NUMBER) return number(a->number * b->number);
  if (a->kind == NUMBER) return scaled(*b, a->number);
  if (b->kind == NUMBER) return scaled(*a, b->number);
  return times_power(a, b, 1);
}

static UnitValue one_unit(void) {
  return (UnitValue){.kind = UNIT, .unit = unit_one(), .text = "1"};
}

static UnitValue quotient(const UnitValue *a, const UnitValue *b) {
  if (a->kind == UNKNOWN || b->kind == UNKNOWN) return ANYTHING;
  if (a->kind == NUMBER && b->kind == NUMBER) return number(a->number / b->number);
  if (b->kind == NUMBER) return scaled(*a, 1 / b->number);
  UnitValue one = one_unit();
  if (a->kind == UNIT) return times_power(a, b, -1);
  return scaled(times_power(&one, b, -1), a->number);
}

static UnitValue raised(const UnitValue *a, double power) {
  if (a->kind == NUMBER) return number(pow(a->number, power));
  if (a->kind == UNKNOWN) return ANYTHING;
  UnitValue one = one_unit(), v = times_power(&one, a, power);
  if (v.kind == UNIT) v.text = power == 1 ? a->text : is_one(a) ? "1" : NULL;
  return v;
}

// The time derivative keeps the word the user chose: rad becomes rad/s, and m/s becomes m/s2.
static const char *rate_text(UnitCheck *c, const char *text) {
  if (!text || strcmp(text, "1") == 0) return NULL;
  size_t length = strlen(text);
  if (!strpbrk(text, "./(")) return arena_print(c->arena, "%s/s", text);
  if (length > 2 && strcmp(text + length - 2, "/s") == 0) return arena_print(c->arena, "%s2", text);
  return NULL;
}

static UnitValue rate(UnitCheck *c, const UnitValue *v) {
  if (v->kind != UNIT) return ANYTHING;
  UnitValue second = plain_unit("s"), r = times_power(v, &second, -1);
  if (r.kind == UNIT) r.text = rate_text(c, v->text);
  return r;
}

// ---- agreement ----

static void warn(UnitCheck *c, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void warn(UnitCheck *c, int line, int column, const char *format, ...) {
  va_list args;
  va_start(args, format);
  bool own = !c->source || line <= c->source->line_count; // a library is not the user's to mend
  if (!c->warned && own) source_warn_args(c->source, c->out, line, column, format, args);
  va_end(args);
  c->warned = true;
}

static bool agree(const UnitValue *a, const UnitValue *b) {
  if (a->kind != UNIT || b->kind != UNIT) return true;
  return unit_same(&a->unit, &b->unit);
}

static double factor_between(const UnitValue *a, const UnitValue *b) {
  return fmax(a->unit.scale, b->unit.scale) / fmin(a->unit.scale, b->unit.scale);
}

// `what` begins the sentence: "the two sides", "the terms of '+'".
static void warn_pair(UnitCheck *c, int line, int column, const char *what, const UnitValue *a,
                      const UnitValue *b) {
  const char *left = name_of(c, a), *right = name_of(c, b);
  if (unit_same_dimension(&a->unit, &b->unit))
    warn(c, line, column, "%s differ by a factor %.6g: '%s' (left) and '%s' (right)", what,
         factor_between(a, b), left, right);
  else
    warn(c, line, column, "%s have different units: '%s' (left) and '%s' (right)", what, left,
         right);
}

// The unit that both share, the known one if one is known; warns when they do not agree. Two numbers share any.
static UnitValue common(UnitCheck *c, int line, int column, const char *what, const UnitValue *a,
                        const UnitValue *b) {
  if (!agree(a, b)) {
    if (a->is_declared || b->is_declared) warn_pair(c, line, column, what, a, b);
    return ANYTHING;
  }
  if (a->kind != UNIT) return b->kind == UNIT ? *b : ANYTHING;
  if (b->kind != UNIT) return *a;
  UnitValue v = a->unit.any_scale ? *b : *a;
  v.is_declared = a->is_declared || b->is_declared;
  return v;
}

// ---- expressions ----

static UnitValue value_of(UnitCheck *c, const Ast *e);

static UnitValue name_value(const UnitCheck *c, const Ast *e) {
  int i = names_find(c->index, e->name);
  if (i >= 0) return c->values[i];
  return strcmp(e->name, "time") == 0 ? plain_unit("s") : ANYTHING;
}

static UnitValue sum(UnitCheck *c, const Ast *e, const UnitValue *a, const UnitValue *b) {
  if (a->kind == NUMBER && b->kind == NUMBER)
    return number(e->op == AST_PLUS ? a->number + b->number : a->number - b->number);
  bool has_number = a->kind == NUMBER || b->kind == NUMBER;
  if (has_number && (is_only_time(a) || is_only_time(b))) return ANYTHING;
  const char *what = e->op == AST_PLUS ? "the terms of '+'" : "the terms of '-'";
  return common(c, e->line, e->column, what, a, b);
}

static UnitValue power(UnitCheck *c, const Ast *e, const UnitValue *a, const UnitValue *b) {
  if (b->kind == NUMBER) return raised(a, b->number);
  if (b->kind == UNIT && b->is_declared && !unit_is_number(&b->unit)) {
    warn(c, e->line, e->column, "the exponent must be a number without unit, but has the unit '%s'",
         name_of(c, b));
    return ANYTHING;
  }
  bool base_is_number = a->kind == UNIT && is_one(a);
  return base_is_number ? one_unit() : ANYTHING;
}

static UnitValue relation(UnitCheck *c, const Ast *e, const UnitValue *a, const UnitValue *b) {
  common(c, e->line, e->column, "the two sides of the relation", a, b);
  return ANYTHING;
}

static UnitValue binary(UnitCheck *c, const Ast *e) {
  UnitValue a = value_of(c, e->args[0]), b = value_of(c, e->args[1]);
  switch (e->op) {
  case AST_PLUS:
  case AST_MINUS: return sum(c, e, &a, &b);
  case AST_TIMES: return product(&a, &b);
  case AST_DIVIDE: return quotient(&a, &b);
  case AST_POWER: return power(c, e, &a, &b);
  case AST_AND:
  case AST_OR: return ANYTHING;
  default: return relation(c, e, &a, &b);
  }
}

static UnitValue unary(UnitCheck *c, const Ast *e) {
  UnitValue v = value_of(c, e->args[0]);
  if (e->op == AST_NOT) return ANYTHING;
  if (e->op == AST_MINUS) v.number = -v.number;
  return v;
}

static UnitValue conditional(UnitCheck *c, const Ast *e) {
  value_of(c, e->args[0]);
  UnitValue a = value_of(c, e->args[1]), b = value_of(c, e->args[2]);
  return common(c, e->line, e->column, "the branches of 'if'", &a, &b);
}

// ---- functions ----

typedef enum Rule {
  OF_NUMBER, // argument and result have no unit
  OF_ANGLE,  // the same, and the argument counts in rad
  SIGN,      // a number, whatever the argument
  SAME,      // the unit of the last argument
  SHARED,    // all arguments share one unit, which is that of the result
  RATIO,     // all arguments share one unit, the result has none
  ROOT,
  RATE,
  UNCHECKED, // nothing is known of the unit of the result
} Rule;

static const struct {
  const char *name;
  Rule rule;
} FUNCTIONS[] = {
#define FUNCTION(word, args, op, build, unit) {word, unit},
#include "lang/functions.def"
    {"der", RATE}, {"noEvent", SAME}, {"smooth", SAME}, {"pre", SAME}, {"homotopy", SHARED},
};

static Rule rule_of(const char *name) {
  for (int i = 0; i < (int)(sizeof FUNCTIONS / sizeof *FUNCTIONS); i++)
    if (strcmp(FUNCTIONS[i].name, name) == 0) return FUNCTIONS[i].rule;
  return UNCHECKED;
}

static UnitValue number_function(UnitCheck *c, const Ast *e, const UnitValue *v, bool is_angle) {
  UnitValue one = one_unit();
  if (v->kind == NUMBER) return number(nan(""));
  if (!agree(v, &one) && v->is_declared)
    warn(c, e->line, e->column, "the argument of '%s' must be %s, but has the unit '%s'", e->name,
         is_angle ? "in 'rad'" : "a number without unit", name_of(c, v));
  return one;
}

// The unit that all arguments share.
static UnitValue shared_unit(UnitCheck *c, const Ast *e) {
  UnitValue all = ANYTHING;
  const char *what = arena_print(c->arena, "the arguments of '%s'", e->name);
  for (int i = 0; i < e->arg_count; i++) {
    UnitValue next = value_of(c, e->args[i]);
    all = common(c, e->line, e->column, what, &all, &next);
  }
  return all;
}

static UnitValue call(UnitCheck *c, const Ast *e) {
  Rule rule = rule_of(e->name);
  if (rule == SHARED) return shared_unit(c, e);
  if (rule == RATIO) {
    shared_unit(c, e);
    return one_unit();
  }
  UnitValue last = ANYTHING;
  for (int i = 0; i < e->arg_count; i++) last = value_of(c, e->args[i]);
  switch (rule) {
  case UNCHECKED: return ANYTHING;
  case OF_NUMBER: return number_function(c, e, &last, false);
  case OF_ANGLE: return number_function(c, e, &last, true);
  case SIGN: return one_unit();
  case ROOT: return raised(&last, 0.5);
  case RATE: return rate(c, &last);
  default: last.number = nan(""); return last;
  }
}

static UnitValue value_of(UnitCheck *c, const Ast *e) {
  switch (e->kind) {
  case AST_NUMBER: return number(e->number);
  case AST_NAME: return name_value(c, e);
  case AST_CALL: return call(c, e);
  case AST_UNARY: return unary(c, e);
  case AST_BINARY: return binary(c, e);
  case AST_IF: return conditional(c, e);
  default: return ANYTHING;
  }
}

// ---- declarations and equations ----

static const AstAttribute *find_unit(const AstDeclaration *d) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, "unit") == 0) return &d->attributes.at[i];
  return NULL;
}

// A long or strange unit would spoil every message.
static const char *shown_text(const char *text) {
  return strlen(text) <= 40 ? text : NULL;
}

static UnitValue declared_unit(UnitCheck *c, const AstDeclaration *d) {
  const AstAttribute *a = find_unit(d);
  if (!a || a->value->kind != AST_STRING || !a->value->name[0]) return ANYTHING;
  const char *text = a->value->name;
  UnitValue v = {.kind = UNIT, .is_declared = true, .text = shown_text(text)};
  Err err = {0};
  if (unit_parse(text, &v.unit, &err)) return v;
  c->warned = false;
  warn(c, a->value->line, a->value->column, "the unit \"%.60s\" of '%.80s' is not understood: %s",
       text, d->name, err.text);
  return ANYTHING;
}

static void read_units(UnitCheck *c, const AstModel *m) {
  UnitValue *values = ARENA_ARRAY(c->arena, UnitValue, m->declarations.count);
  c->values = values;
  c->index = names_new(c->arena);
  for (int i = 0; i < m->declarations.count; i++) {
    const AstDeclaration *d = &m->declarations.at[i];
    values[i] = declared_unit(c, d);
    names_set(c->index, d->name, i);
  }
}

// The value of an attribute or a binding, against the declared unit.
static void check_value(UnitCheck *c, const AstDeclaration *d, const UnitValue *unit,
                        const char *what, const Ast *e) {
  c->warned = false;
  UnitValue v = value_of(c, e);
  if (agree(&v, unit)) return;
  const char *has = name_of(c, &v), *declared = name_of(c, unit);
  if (unit_same_dimension(&v.unit, &unit->unit))
    warn(c, e->line, e->column,
         "%s of '%.80s' has the unit '%s', but '%s' is declared: a factor %.6g", what, d->name, has,
         declared, factor_between(&v, unit));
  else
    warn(c, e->line, e->column, "%s of '%.80s' has the unit '%s', but '%s' is declared", what,
         d->name, has, declared);
}

static bool holds_quantity(const char *attribute) {
  static const char *const NAMES[] = {"start", "min", "max", "nominal"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(attribute, NAMES[i]) == 0) return true;
  return false;
}

static void check_declaration(UnitCheck *c, const AstDeclaration *d, const UnitValue *unit) {
  for (int i = 0; i < d->attributes.count; i++) {
    const AstAttribute *a = &d->attributes.at[i];
    if (holds_quantity(a->name)) check_value(c, d, unit, a->name, a->value);
  }
  if (d->binding) check_value(c, d, unit, "the value", d->binding);
}

static void check_equation(UnitCheck *c, const AstEquation *e) {
  c->warned = false;
  UnitValue left = value_of(c, e->left), right = value_of(c, e->right);
  common(c, e->line, e->column, "the two sides", &left, &right);
}

void units_check(const AstModel *m, const Source *s, Arena *a, Warnings *out) {
  UnitCheck c = {.source = s, .arena = a, .out = out};
  read_units(&c, m);
  for (int i = 0; i < m->declarations.count; i++)
    check_declaration(&c, &m->declarations.at[i], &c.values[i]);
  for (int i = 0; i < m->equations.count; i++) check_equation(&c, &m->equations.at[i]);
  for (int i = 0; i < m->initial_equations.count; i++)
    check_equation(&c, &m->initial_equations.at[i]);
}
