#include "model/known.h"

#include <string.h>

#include "base/names.h"

typedef struct Known {
  Arena *arena;
  AstModel *m; // declarations and initial equations are copies
  Names *names;
  bool *free; // by declaration: fixed = false, and not known yet
} Known;

static const AstAttribute *fixed_of(const AstDeclaration *d) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, "fixed") == 0) return &d->attributes.at[i];
  return NULL;
}

static bool is_free(const AstDeclaration *d) {
  const AstAttribute *fixed = fixed_of(d);
  return d->role == AST_PARAMETER && !d->binding && fixed && fixed->value->kind == AST_BOOL &&
         fixed->value->number == 0;
}

static bool is_known(const Known *k, const Ast *e) {
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL || e->kind == AST_STRING) return true;
  if (e->kind == AST_NAME) {
    int i = names_find(k->names, e->name);
    const AstDeclaration *d = i < 0 ? NULL : &k->m->declarations.at[i];
    return d && (d->role == AST_PARAMETER || d->role == AST_CONSTANT) && !k->free[i];
  }
  for (int i = 0; i < e->arg_count; i++)
    if (!is_known(k, e->args[i])) return false;
  return true;
}

// fixed = false goes: the declaration has a value now.
static void give_value(Known *k, int i, const AstEquation *q) {
  AstDeclaration *d = &k->m->declarations.at[i];
  AstDeclaration with = *d;
  memset(&with.attributes, 0, sizeof with.attributes);
  for (int n = 0; n < d->attributes.count; n++)
    if (&d->attributes.at[n] != fixed_of(d))
      array_push(k->arena, &with.attributes, d->attributes.at[n]);
  with.binding = q->right;
  with.final = true; // the equation says what it is
  *d = with;
  k->free[i] = false;
}

static bool one_pass(Known *k) {
  int kept = 0, count = k->m->initial_equations.count;
  for (int n = 0; n < count; n++) {
    AstEquation q = k->m->initial_equations.at[n];
    int i = q.left && q.left->kind == AST_NAME ? names_find(k->names, q.left->name) : -1;
    if (i >= 0 && k->free[i] && is_known(k, q.right))
      give_value(k, i, &q);
    else
      k->m->initial_equations.at[kept++] = q;
  }
  k->m->initial_equations.count = kept;
  return kept < count;
}

const AstModel *with_known_parameters(Arena *a, const AstModel *m) {
  bool any = false;
  for (int i = 0; i < m->declarations.count; i++)
    any |= m->declarations.at[i].type != AST_REAL && is_free(&m->declarations.at[i]);
  if (!any) return m;
  AstModel *copy = ARENA_NEW(a, AstModel);
  Known k = {.arena = a, .m = copy, .names = names_new(a)};
  *copy = *m;
  memset(&copy->declarations, 0, sizeof copy->declarations);
  memset(&copy->initial_equations, 0, sizeof copy->initial_equations);
  k.free = ARENA_ARRAY(a, bool, m->declarations.count + 1);
  for (int i = 0; i < m->declarations.count; i++) {
    array_push(a, &copy->declarations, m->declarations.at[i]);
    names_set(k.names, m->declarations.at[i].name, i);
    k.free[i] = is_free(&m->declarations.at[i]);
  }
  for (int i = 0; i < m->initial_equations.count; i++)
    array_push(a, &copy->initial_equations, m->initial_equations.at[i]);
  while (one_pass(&k)) {
  }
  return copy;
}
