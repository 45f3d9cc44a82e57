#include "lang/ast.h"

#include <string.h>

#include "base/deep.h"

static bool same_text(const char *a, const char *b) {
  if (!a || !b) return a == b;
  return strcmp(a, b) == 0;
}

void ast_recurse(const Ast *e, void (*work)(void *data), void *data) {
  if (e->depth > AST_DEPTH_SMALL)
    deep_call(work, data);
  else
    work(data);
}

static bool same_tree(const Ast *a, const Ast *b) {
  if (a->kind != b->kind || a->op != b->op || a->arg_count != b->arg_count) return false;
  if (!same_text(a->name, b->name)) return false;
  if (a->kind == AST_NUMBER || a->kind == AST_BOOL) return a->number == b->number;
  for (int i = 0; i < a->arg_count; i++)
    if (!same_tree(a->args[i], b->args[i])) return false;
  return true;
}

typedef struct TreePair {
  const Ast *a, *b;
  bool equal;
} TreePair;

static void compare(void *data) {
  TreePair *p = data;
  p->equal = same_tree(p->a, p->b);
}

bool ast_equal(const Ast *a, const Ast *b) {
  if (!a || !b) return a == b;
  TreePair p = {a, b, false};
  ast_recurse(a, compare, &p);
  return p.equal;
}

static bool same_attribute(const AstAttribute *a, const AstAttribute *b) {
  return same_text(a->name, b->name) && a->final == b->final && ast_equal(a->value, b->value);
}

static bool same_declaration(const AstDeclaration *a, const AstDeclaration *b) {
  if (a->role != b->role || a->type != b->type || a->final != b->final) return false;
  if (a->discrete != b->discrete) return false;
  if (a->attributes.count != b->attributes.count) return false;
  for (int i = 0; i < a->attributes.count; i++)
    if (!same_attribute(&a->attributes.at[i], &b->attributes.at[i])) return false;
  return same_text(a->name, b->name) && ast_equal(a->binding, b->binding) &&
         same_text(a->description, b->description);
}

static bool same_equation(const AstEquation *a, const AstEquation *b) {
  return ast_equal(a->left, b->left) && ast_equal(a->right, b->right) &&
         same_text(a->description, b->description);
}

static bool same_equations(const AstEquation *a, int na, const AstEquation *b, int nb) {
  if (na != nb) return false;
  for (int i = 0; i < na; i++)
    if (!same_equation(&a[i], &b[i])) return false;
  return true;
}

static bool same_action(const AstAction *a, const AstAction *b) {
  return a->kind == b->kind && a->warning == b->warning && ast_equal(a->left, b->left) &&
         ast_equal(a->right, b->right);
}

static bool same_actions(const AstAction *a, int na, const AstAction *b, int nb) {
  if (na != nb) return false;
  for (int i = 0; i < na; i++)
    if (!same_action(&a[i], &b[i])) return false;
  return true;
}

static bool same_branch(const AstBranch *a, const AstBranch *b) {
  return ast_equal(a->condition, b->condition) &&
         same_actions(a->actions.at, a->actions.count, b->actions.at, b->actions.count);
}

static bool same_when(const AstWhen *a, const AstWhen *b) {
  if (a->branches.count != b->branches.count) return false;
  for (int i = 0; i < a->branches.count; i++)
    if (!same_branch(&a->branches.at[i], &b->branches.at[i])) return false;
  return true;
}

bool ast_model_equal(const AstModel *a, const AstModel *b) {
  if (!same_text(a->name, b->name) || !same_text(a->description, b->description)) return false;
  if (a->declarations.count != b->declarations.count) return false;
  for (int i = 0; i < a->declarations.count; i++)
    if (!same_declaration(&a->declarations.at[i], &b->declarations.at[i])) return false;
  if (a->whens.count != b->whens.count) return false;
  for (int i = 0; i < a->whens.count; i++)
    if (!same_when(&a->whens.at[i], &b->whens.at[i])) return false;
  return same_equations(a->equations.at, a->equations.count, b->equations.at, b->equations.count) &&
         same_equations(a->initial_equations.at, a->initial_equations.count,
                        b->initial_equations.at, b->initial_equations.count) &&
         same_actions(a->asserts.at, a->asserts.count, b->asserts.at, b->asserts.count);
}
