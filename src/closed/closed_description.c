#include "closed/closed_description.h"

#include <math.h>
#include <string.h>

#include "base/names.h"

static Ast *leaf(Arena *a, AstKind kind) {
  Ast *e = ARENA_NEW(a, Ast);
  e->kind = kind;
  e->depth = 1;
  return e;
}

static const Ast *number(Arena *a, double value, bool boolean) {
  Ast *e = leaf(a, boolean ? AST_BOOL : AST_NUMBER);
  e->number = fabs(value);
  if (value >= 0 || boolean) return e;
  Ast *minus = leaf(a, AST_UNARY);
  minus->op = AST_MINUS;
  minus->depth = 2;
  minus->arg_count = 1;
  minus->args = ARENA_ARRAY(a, Ast *, 1);
  minus->args[0] = e;
  return minus;
}

static void add_attribute(Arena *a, AstDeclaration *d, const char *name, const Ast *value) {
  array_push(a, &d->attributes, ((AstAttribute){.name = name, .value = value}));
}

static void add_number(Arena *a, AstDeclaration *d, const char *name, double value) {
  if (isfinite(value)) add_attribute(a, d, name, number(a, value, false));
}

static const Ast *text(Arena *a, const char *s) {
  Ast *e = leaf(a, AST_STRING);
  e->name = s;
  return e;
}

static AstDeclaration declaration(Arena *a, const ClosedVariable *v, AstRole role) {
  // A text is the number of one in ClosedSimulator.texts.
  static const AstType TYPES[] = {AST_REAL, AST_INTEGER, AST_BOOLEAN, AST_INTEGER};
  AstDeclaration d = {.role = role,
                      .type = TYPES[v->type],
                      .name = v->name,
                      .description = v->description,
                      .hidden = v->hidden};
  if (v->type == CLOSED_REAL || v->type == CLOSED_INTEGER) {
    add_number(a, &d, "min", v->min);
    add_number(a, &d, "max", v->max);
  }
  if (v->type == CLOSED_REAL && v->nominal > 0 && v->nominal != 1)
    add_number(a, &d, "nominal", v->nominal);
  if (v->unit[0]) add_attribute(a, &d, "unit", text(a, v->unit));
  return d;
}

static void add_parameters(Arena *a, const ClosedDescription *from, AstModel *m, int *start_of) {
  for (int i = 0; i < from->parameters.count; i++) {
    const ClosedVariable *v = &from->parameters.at[i];
    if (v->start_of >= 0) start_of[v->start_of] = i + 1;
    if (v->start_of >= 0) continue;
    AstDeclaration d = declaration(a, v, AST_PARAMETER);
    d.binding = number(a, v->type == CLOSED_TEXT ? 0 : v->value, v->type == CLOSED_BOOLEAN);
    array_push(a, &m->declarations, d);
  }
}

static void add_inputs(Arena *a, const ClosedDescription *from, AstModel *m) {
  for (int i = 0; i < from->inputs.count; i++) {
    const ClosedVariable *v = &from->inputs.at[i];
    AstDeclaration d = declaration(a, v, AST_INPUT);
    if (v->has_value) d.binding = number(a, v->value, v->type == CLOSED_BOOLEAN);
    array_push(a, &m->declarations, d);
  }
}

// der(x) = 0
static AstEquation still(Arena *a, const char *name) {
  Ast *x = leaf(a, AST_NAME), *der = leaf(a, AST_CALL);
  x->name = name;
  der->name = "der";
  der->depth = 2;
  der->arg_count = 1;
  der->args = ARENA_ARRAY(a, Ast *, 1);
  der->args[0] = x;
  return (AstEquation){
      .left = der, .right = number(a, 0, false), .description = "", .instance = ""};
}

static void add_variables(Arena *a, const ClosedDescription *from, AstModel *m,
                          const int *start_of) {
  for (int i = 0; i < from->variables.count; i++) {
    ClosedVariable v = from->variables.at[i];
    v.type = CLOSED_REAL; // whatever it is, numbers are recorded
    AstDeclaration d = declaration(a, &v, AST_VARIABLE);
    d.startless = start_of[i] == 0;
    if (start_of[i]) add_number(a, &d, "start", from->parameters.at[start_of[i] - 1].value);
    array_push(a, &m->declarations, d);
    array_push(a, &m->equations, still(a, v.name));
  }
}

const AstModel *closed_ast(Arena *a, const ClosedDescription *d, ClosedModel *closed) {
  AstModel *m = ARENA_NEW(a, AstModel);
  int *start_of = ARENA_ARRAY(a, int, d->variables.count + 1); // parameter, counted from 1
  m->name = d->name;
  m->description = d->description;
  m->closed = closed;
  m->line = m->column = 1;
  add_parameters(a, d, m, start_of);
  add_inputs(a, d, m);
  add_variables(a, d, m, start_of);
  return m;
}
