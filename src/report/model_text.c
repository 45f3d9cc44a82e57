#include "report/model_text.h"

#include <string.h>

#include "lang/ast_print.h"
#include "model/flatten.h"

// ---------------------------------------------------------------- equations

static bool is_bound(const AstDeclaration *d) {
  return d->binding && (d->role == AST_VARIABLE || d->role == AST_OUTPUT);
}

static int count_bound(const AstModel *ast) {
  int count = 0;
  for (int i = 0; i < ast->declarations.count; i++) count += is_bound(&ast->declarations.at[i]);
  return count;
}

// Equations of a model: bindings in the order of declaration, then the equations of the text.
EquationText *equation_texts(Arena *a, const Model *m) {
  const AstModel *ast = m->flat->ast;
  int count = 0;
  if (count_bound(ast) + ast->equations.count != m->flat->equations.count) return NULL;
  EquationText *texts = ARENA_ARRAY(a, EquationText, m->flat->equations.count + 1);
  for (int i = 0; i < ast->declarations.count; i++) {
    const AstDeclaration *d = &ast->declarations.at[i];
    if (is_bound(d)) texts[count++] = (EquationText){d->name, NULL, d->binding};
  }
  for (int i = 0; i < ast->equations.count; i++)
    texts[count++] = (EquationText){NULL, ast->equations.at[i].left, ast->equations.at[i].right};
  return texts;
}

void typed_equation_print(Text *out, const Model *m, const EquationText *texts, int equation) {
  if (texts && !texts[equation].left)
    text_add(out, texts[equation].name);
  else if (texts)
    ast_print(out, texts[equation].left);
  else
    expr_print(out, m->graph, m->flat->equations.at[equation].left);
  text_add(out, " = ");
  if (texts)
    ast_print(out, texts[equation].right);
  else
    expr_print(out, m->graph, m->flat->equations.at[equation].right);
}

// ---------------------------------------------------------------- declarations

const AstDeclaration *declaration_of(const Model *m, int variable) {
  const AstModel *ast = m->flat->ast;
  if (variable < 0 || variable >= ast->declarations.count) return NULL;
  const AstDeclaration *d = &ast->declarations.at[variable];
  return strcmp(d->name, m->flat->variables.at[variable].name) == 0 ? d : NULL;
}

static const Ast *start_text(const AstDeclaration *d) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, "start") == 0) return d->attributes.at[i].value;
  return NULL;
}

const Ast *parameter_text(const Model *m, const Parameter *p) {
  const AstDeclaration *d = declaration_of(m, p->variable);
  if (!d) return NULL;
  return !p->is_start && d->binding ? d->binding : start_text(d);
}

// ---------------------------------------------------------------- the whole model

// An independent parameter was changed if its text is not a number with its value.
static bool was_set(Model *m, const Parameter *p) {
  if (p->dependent) return false;
  const Ast *text = parameter_text(m, p);
  Expr e;
  Err err = {0};
  if (!text) return p->value != 0;
  if (!flat_expression(m->flat, m->flat->source, text, &e, &err)) return true;
  return !expr_is_value(m->graph, e, p->value);
}

static Ast *literal(Arena *a, const AstDeclaration *d, double value) {
  Ast *e = ARENA_NEW(a, Ast);
  e->kind = d->type == AST_BOOLEAN ? AST_BOOL : AST_NUMBER;
  e->depth = 1;
  e->number = value;
  return e;
}

static void set_start(Arena *a, AstDeclaration *d, const Ast *value) {
  AstDeclaration old = *d;
  d->attributes.count = d->attributes.room = 0;
  d->attributes.at = NULL;
  if (!start_text(&old))
    array_push(a, &d->attributes, ((AstAttribute){.name = "start", .value = value}));
  for (int i = 0; i < old.attributes.count; i++) {
    AstAttribute at = old.attributes.at[i];
    if (strcmp(at.name, "start") == 0) at.value = value;
    array_push(a, &d->attributes, at);
  }
}

static void set_values(Arena *a, Model *m, AstModel *copy) {
  for (int k = 0; k < m->np; k++) {
    const Parameter *p = &m->flat->parameters.at[k];
    if (!declaration_of(m, p->variable) || !was_set(m, p)) continue;
    AstDeclaration *d = &copy->declarations.at[p->variable];
    const Ast *value = literal(a, d, p->value);
    if (p->is_start)
      set_start(a, d, value);
    else
      d->binding = value;
  }
}

void model_flat(Text *out, Model *m) {
  Arena *scratch = arena_new();
  AstModel copy = *m->flat->ast;
  int count = copy.declarations.count;
  copy.declarations.at = ARENA_ARRAY(scratch, AstDeclaration, count + 1);
  if (count)
    memcpy(copy.declarations.at, m->flat->ast->declarations.at,
           (size_t)count * sizeof *copy.declarations.at);
  set_values(scratch, m, &copy);
  ast_print_model(out, &copy);
  arena_free(scratch);
}
