// Copies of a model with parameters of their own; free start values: x0 = parameters or, where there are invariants,
// the nearest states that satisfy them (start.c).
#include "model/extend.h"

#include "expr/replace.h"
#include "model/independent.h"
#include "model/start.h"

int model_add_parameter(Model *m, const char *name, double value) {
  Flat *f = m->flat;
  const AddedSymbol *own = model_added_symbol(m, f->parameters.count, name);
  Parameter p = {.name = own->name, .variable = -1, .value = value, .node = own->symbol};
  array_push(m->arena, &f->parameters, p);
  if (names_find(f->parameter_names, name) < 0)
    names_set(f->parameter_names, p.name, f->parameters.count - 1);
  m->np = f->parameters.count;
  return m->np - 1;
}

// Lists of its own: those of the first may be read by others while these become longer.
static Flat *copy_flat(const Flat *f, Arena *a) {
  Flat *copy = ARENA_NEW(a, Flat);
  *copy = *f;
  copy->parameter_names = names_new(a); // of what is added
  memset(&copy->parameters, 0, sizeof copy->parameters);
  memset(&copy->variables, 0, sizeof copy->variables);
  for (int k = 0; k < f->parameters.count; k++)
    array_push(a, &copy->parameters, f->parameters.at[k]);
  for (int k = 0; k < f->variables.count; k++) array_push(a, &copy->variables, f->variables.at[k]);
  return copy;
}

Model *model_copy(const Model *m, Arena *a) {
  Model *copy = ARENA_NEW(a, Model);
  *copy = *m;
  copy->flat = copy_flat(m->flat, a);
  copy->coupled = NULL;
  copy->free_start = NULL;
  copy->augmented = NULL;
  copy->adjoint = NULL;
  return copy;
}

// What the modes are at the start, with `start` in place of the states.
static void modes_at_start(Model *m, const Expr *start, Arena *a) {
  const Flat *f = m->flat;
  Arena *scratch = arena_new();
  Replacer *solved = replacer_new(m->graph, scratch), *at = replacer_new(m->graph, scratch);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(solved, m->unknowns[j].symbol, m->sorted.solution[j]);
  for (int i = 0; i < m->nx; i++) replacer_set(at, m->x[i], start[i]);
  m->mode0 = ARENA_ARRAY(a, Expr, m->ne + 1);
  for (int k = 0; k < m->ne; k++) { // what an event stands for may contain those before it
    m->mode0[k] = replace(at, replace(solved, f->events.at[k].direct));
    replacer_set(at, f->events.at[k].mode, m->mode0[k]);
  }
  arena_free(scratch);
}

// The states that satisfy the invariants and are nearest to those at free->x0.
static void nearest_start(Model *free) {
  Flat *f = free->flat;
  Err err = {0};
  f->initial_equations.count = 0;
  for (int k = 0; k < f->variables.count; k++) f->variables.at[k].fixed = false;
  for (int i = 0; i < free->nx; i++) f->variables.at[free->state[i]].start = free->x0[i];
  find_start(free, &err); // cannot fail where nothing but invariants is to be satisfied
}

static Model *make_free_start(Model *m, int *first) {
  Arena *a = m->arena;
  Model *free = model_copy(m, a);
  double *x = ARENA_ARRAY(a, double, m->nx + 1);
  free->x0 = ARENA_ARRAY(a, Expr, m->nx + 1);
  *first = m->flat->parameters.count;
  if (m->invariant_count) start_attributes(m, NULL, x); // a point where invariants can be looked at
  for (int i = 0; i < m->nx; i++) {
    const char *name = m->flat->variables.at[m->state[i]].name;
    int k = model_add_parameter(free, arena_print(a, "free start of %s", name), x[i]);
    free->x0[i] = free->flat->parameters.at[k].node;
  }
  if (m->invariant_count)
    nearest_start(free);
  else
    modes_at_start(free, free->x0, a);
  return free;
}

Model *model_with_free_start(Model *m, int *first) {
  pthread_mutex_lock(m->lock);
  if (!m->free_start) m->free_start = make_free_start(m, &m->free_start_first);
  *first = m->free_start_first;
  pthread_mutex_unlock(m->lock);
  return m->free_start;
}
