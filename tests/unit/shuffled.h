// The same model written in another order: equations and declarations are shuffled, sides of equations exchanged,
// variables renamed. And the comparison of two such models.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "lang/parse.h"
#include "loaded.h"
#include "model/system.h"

typedef struct Shuffle {
  uint64_t seed;
  Arena *arena;
  const AstModel *from;
  const char **renamed; // by declaration, NULL: names stay
} Shuffle;

static inline int shuffle_below(Shuffle *s, int n) {
  return (int)uniform(&s->seed, 0, n) % n;
}

static inline void shuffle_items(Shuffle *s, void *items, int count, size_t size) {
  char *at = items, kept[sizeof(AstDeclaration) + sizeof(AstEquation)];
  for (int i = count - 1; i > 0; i--) {
    int j = shuffle_below(s, i + 1);
    memcpy(kept, at + (size_t)i * size, size);
    memmove(at + (size_t)i * size, at + (size_t)j * size, size);
    memcpy(at + (size_t)j * size, kept, size);
  }
}

static inline const char *shuffle_name(const Shuffle *s, const char *name) {
  for (int i = 0; i < s->from->declarations.count && s->renamed; i++)
    if (strcmp(s->from->declarations.at[i].name, name) == 0) return s->renamed[i];
  return name;
}

static inline const Ast *shuffle_tree(const Shuffle *s, const Ast *e) {
  if (!e || !s->renamed) return e;
  Ast *copy = ARENA_NEW(s->arena, Ast);
  *copy = *e;
  if (e->kind == AST_NAME) copy->name = shuffle_name(s, e->name);
  if (e->kind == AST_NUMBER || e->kind == AST_BOOL || !e->arg_count) return copy;
  copy->args = ARENA_ARRAY(s->arena, Ast *, e->arg_count);
  for (int i = 0; i < e->arg_count; i++) copy->args[i] = (Ast *)shuffle_tree(s, e->args[i]);
  return copy;
}

static inline void shuffle_equation(Shuffle *s, AstEquation *e) {
  const Ast *left = shuffle_tree(s, e->left), *right = shuffle_tree(s, e->right);
  bool swap = shuffle_below(s, 2);
  e->left = swap ? right : left, e->right = swap ? left : right;
}

static inline void shuffle_declaration(Shuffle *s, AstDeclaration *d, const AstDeclaration *from) {
  *d = *from;
  d->name = shuffle_name(s, from->name);
  d->binding = shuffle_tree(s, from->binding);
  memset(&d->attributes, 0, sizeof d->attributes);
  for (int i = 0; i < from->attributes.count; i++) {
    AstAttribute a = from->attributes.at[i];
    a.value = shuffle_tree(s, a.value);
    array_push(s->arena, &d->attributes, a);
  }
}

// New names in an order that has nothing to do with the old ones.
static inline void shuffle_rename(Shuffle *s) {
  int n = s->from->declarations.count, *number = ARENA_ARRAY(s->arena, int, n + 1);
  for (int i = 0; i < n; i++) number[i] = i;
  shuffle_items(s, number, n, sizeof *number);
  s->renamed = ARENA_ARRAY(s->arena, const char *, n + 1);
  for (int i = 0; i < n; i++) s->renamed[i] = arena_print(s->arena, "n%d", 100 + number[i]);
}

static inline AstModel *shuffle_model(Shuffle *s, bool rename) {
  AstModel *m = ARENA_NEW(s->arena, AstModel);
  const AstModel *from = s->from;
  *m = *from;
  memset(&m->declarations, 0, sizeof m->declarations);
  memset(&m->equations, 0, sizeof m->equations);
  memset(&m->initial_equations, 0, sizeof m->initial_equations);
  if (rename) shuffle_rename(s);
  for (int i = 0; i < from->declarations.count; i++) {
    AstDeclaration d;
    shuffle_declaration(s, &d, &from->declarations.at[i]);
    array_push(s->arena, &m->declarations, d);
  }
  for (int i = 0; i < from->equations.count; i++) {
    AstEquation e = from->equations.at[i];
    shuffle_equation(s, &e);
    array_push(s->arena, &m->equations, e);
  }
  for (int i = 0; i < from->initial_equations.count; i++) {
    AstEquation e = from->initial_equations.at[i];
    shuffle_equation(s, &e);
    array_push(s->arena, &m->initial_equations, e);
  }
  shuffle_items(s, m->declarations.at, m->declarations.count, sizeof *m->declarations.at);
  shuffle_items(s, m->equations.at, m->equations.count, sizeof *m->equations.at);
  shuffle_items(s, m->initial_equations.at, m->initial_equations.count,
                sizeof *m->initial_equations.at);
  return m;
}

// ---------------------------------------------------------------- comparison

typedef struct Compared { // a model, compiled with all its variables as outputs
  Model *m;
  System *s;
  SystemWork *w;
  double *p, *x, *dx, *value;
} Compared;

static inline void compared_inputs(void *data, double t, double *u, double *du) {
  const Model *m = data;
  int n = m->nu;
  for (int i = 0; i < n; i++) { // by the place of the declaration, which does not change
    double phase = m->flat->variables.at[m->input[i]].column;
    u[i] = sin(t + phase), du[i] = cos(t + phase);
    du[n + i] = -sin(t + phase), du[2 * n + i] = -cos(t + phase);
  }
}

static inline void compared_init(Compared *c, Arena *a, Model *m) {
  int n = m->flat->variables.count;
  *c = (Compared){.m = m};
  SystemSpec spec = {.outputs = m->value, .output_count = n, .lanes = 1, .code = CODE_INTERPRETER};
  c->s = system_new(m, &spec);
  c->w = system_work_new(c->s);
  c->w->inputs = compared_inputs;
  c->w->inputs_data = m;
  c->p = ARENA_ARRAY(a, double, m->np + 1);
  c->x = ARENA_ARRAY(a, double, m->nx + 1);
  c->dx = ARENA_ARRAY(a, double, m->nx + 1);
  c->value = ARENA_ARRAY(a, double, n + 1);
  for (int k = 0; k < m->np; k++) c->p[k] = m->flat->parameters.at[k].value;
  system_set_parameters(c->w, c->p);
}

static inline void compared_done(Compared *c) {
  system_work_free(c->w);
  system_free(c->s);
}

// The variable of `other` that is declared where variable i of m is. Parts of components of one class are declared at the
// same place: of these, the one of the same name.
static inline int same_variable(const Model *m, int i, const Model *other) {
  const Variable *v = &m->flat->variables.at[i];
  int found = -1;
  for (int k = 0; k < other->flat->variables.count; k++) {
    const Variable *o = &other->flat->variables.at[k];
    if (o->line != v->line || o->column != v->column) continue;
    if (strcmp(o->name, v->name) == 0) return k;
    if (found < 0) found = k;
  }
  return found;
}

static inline int same_state(const Model *m, int state, const Model *other) {
  int v = same_variable(m, m->state[state], other);
  for (int i = 0; i < other->nx; i++)
    if (other->state[i] == v) return i;
  return -1;
}

static inline bool same_invariants(const Model *m, const Model *other) {
  if (m->invariant_count != other->invariant_count) return false;
  for (int i = 0; i < m->invariant_count; i++) {
    const Invariant *v = &m->invariants[i];
    const Equation *e = &m->flat->equations.at[v->equation];
    bool found = false;
    for (int k = 0; k < other->invariant_count && !found; k++) {
      const Invariant *o = &other->invariants[k];
      const Equation *f = &other->flat->equations.at[o->equation];
      found = e->line == f->line && e->column == f->column && v->level == o->level &&
              v->redundant == o->redundant;
    }
    if (!found) return false;
  }
  return true;
}

static inline double relative_distance(const double *a, const double *b, int n, double size) {
  double most = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  for (int i = 0; i < n; i++) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    if (a[i] == b[i]) continue;
    double d = fabs(a[i] - b[i]) / size;
    if (!(d <= most)) most = d;
  }
  return most;
}

// Largest relative difference of right-hand sides and of all variables at x, in the order of a.
static inline double distance_at(Compared *a, Compared *b, double t) {
  Model *m = a->m, *o = b->m;
  int n = m->flat->variables.count;
  Arena *scratch = arena_new();
  double *dx = ARENA_ARRAY(scratch, double, m->nx + 1),
         *value = ARENA_ARRAY(scratch, double, n + 1);
  for (int i = 0; i < m->nx; i++) b->x[same_state(m, i, o)] = a->x[i];
  Compared *both[] = {a, b};
  for (int k = 0; k < 2; k++) {
    system_forget(both[k]->w);
    system_rhs(both[k]->w, t, both[k]->x, both[k]->dx);
    system_outputs(both[k]->w, t, both[k]->x, both[k]->value, NULL);
  }
  for (int i = 0; i < m->nx; i++) dx[i] = b->dx[same_state(m, i, o)];
  for (int i = 0; i < n; i++) value[i] = b->value[same_variable(m, i, o)];
  double d = relative_distance(a->dx, dx, m->nx, 1e-300);
  d = fmax(d, relative_distance(a->value, value, n, 1e-300));
  arena_free(scratch);
  return d;
}

static inline double start_distance(Compared *a, Compared *b) {
  Model *m = a->m, *o = b->m;
  Arena *scratch = arena_new();
  double *x = ARENA_ARRAY(scratch, double, m->nx + 1);
  system_set_rate(a->w, 0), system_set_rate(b->w, 0);
  system_forget(a->w), system_forget(b->w);
  system_start(a->w, 0, a->x);
  system_start(b->w, 0, b->x);
  for (int i = 0; i < m->nx; i++) x[i] = b->x[same_state(m, i, o)];
  double d = relative_distance(a->x, x, m->nx, 1);
  arena_free(scratch);
  return d;
}

// What distinguishes two models that should be the same; NULL: nothing does.
static inline const char *difference(Compared *a, Compared *b, uint64_t seed, int points,
                                     double *size) {
  *size = 0;
  if (a->m->nx != b->m->nx) return "number of states";
  for (int i = 0; i < a->m->nx; i++)
    if (same_state(a->m, i, b->m) < 0) return "states";
  if (a->m->index != b->m->index) return "index";
  if (!same_invariants(a->m, b->m)) return "invariants";
  *size = start_distance(a, b);
  if (!(*size <= 1e-10)) return "start values";
  double start[256];
  if (a->m->nx <= 256) memcpy(start, a->x, (size_t)a->m->nx * sizeof *start);
  system_set_rate(a->w, 1.3), system_set_rate(b->w, 1.3);
  for (int k = 0; k < points; k++) {
    double t = uniform(&seed, 0, 2);
    for (int i = 0; i < a->m->nx; i++)
      a->x[i] = (i < 256 && isfinite(start[i]) ? start[i] : 0) + 0.3 * uniform(&seed, -1, 1);
    *size = distance_at(a, b, t);
    if (!(*size <= 1e-12)) return "right-hand sides";
  }
  return NULL;
}
