// What the data say about states, which equations can be used, which unknowns they determine.
#include <string.h>

#include "expr/replace.h"
#include "search/weak_form.h"

// ---------------------------------------------------------------- what is known from the data

// By run and column: the unknown that the parameter is there. One of its own goes before one that all experiments share.
static void number_columns(Weak *w) {
  const Problem *p = w->problem;
  int *column = ARENA_ARRAY(w->arena, int, w->model->np + 1); // by parameter
  w->parameters = ARENA_ARRAY(w->arena, int, p->unknown_count + 1);
  w->parameter_count = problem_unknown_parameters(p, w->parameters);
  for (int k = 0; k < w->parameter_count; k++) column[w->parameters[k]] = k;
  for (int e = 0; e < w->run_count; e++) {
    w->runs[e].free = ARENA_ARRAY(w->arena, int, w->parameter_count + 1);
    for (int k = 0; k < w->parameter_count; k++) w->runs[e].free[k] = -1;
  }
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *f = &p->unknowns[i];
    if (f->experiment >= 0) w->runs[f->experiment].free[column[f->parameter]] = i;
    for (int e = 0; f->experiment < 0 && e < w->run_count; e++) {
      int *free = &w->runs[e].free[column[f->parameter]];
      if (*free < 0) *free = i;
    }
  }
}

static bool is_free_in(const Weak *w, const WeakRun *r, int parameter) {
  for (int k = 0; k < w->parameter_count; k++)
    if (w->parameters[k] == parameter) return r->free[k] >= 0;
  return false;
}

// By node: whether it contains an unknown of this experiment.
static unsigned char *contains_free(const Weak *w, Arena *a, const WeakRun *r) {
  Expr *nodes = ARENA_ARRAY(a, Expr, w->parameter_count + 1);
  int count = 0;
  for (int k = 0; k < w->parameter_count; k++)
    if (r->free[k] >= 0) nodes[count++] = w->model->flat->parameters.at[w->parameters[k]].node;
  return expr_dependents(w->model->graph, a, nodes, count);
}

// measured = gain*state + offset with values that are known before the search?
static bool invert(const Weak *w, const unsigned char *searched, Replacer *zero, Expr measured,
                   int state, Expr *gain, Expr *offset) {
  Graph *g = w->model->graph;
  *gain = derive(g, measured, w->model->x[state]);
  if (expr_varies(g, *gain) || expr_is_value(g, *gain, 0)) return false;
  replacer_set(zero, w->model->x[state], expr_const(g, 0));
  *offset = replace(zero, measured);
  replacer_clear(zero, w->model->x[state]);
  return !expr_varies(g, *offset) && !searched[measured];
}

static void find_measured(Weak *w, WeakRun *r, Arena *scratch) {
  const Model *m = w->model;
  unsigned char *searched = contains_free(w, scratch, r);
  Replacer *zero = replacer_new(m->graph, scratch);
  for (int c = 0; c < r->experiment->channel_count; c++) {
    const Channel *channel = &r->experiment->channels[c];
    if (channel->count < 2 * WEAK_HALF_LEAST) continue;
    if (channel->delay >= 0 && is_free_in(w, r, channel->delay)) continue;
    for (int i = 0; i < m->nx; i++)
      if (r->known[i].channel < 0 &&
          invert(w, searched, zero, channel->measured, i, &r->gain[c], &r->offset[c])) {
        r->known[i] = (WeakKnown){c, 0};
        break;
      }
  }
}

// der(x) = v makes v known where x is.
static void find_derivatives(const Model *m, WeakKnown *known) {
  for (int level = 0; level < WEAK_LEVEL_MOST; level++)
    for (int j = 0; j < m->nx; j++)
      for (int k = 0; k < m->nx; k++)
        if (known[j].channel >= 0 && known[j].level == level && known[k].channel < 0 &&
            m->f[j] == m->x[k])
          known[k] = (WeakKnown){known[j].channel, level + 1};
}

// What the derivatives are with conditions in place of modes, which belong to a simulation.
static Expr *direct_derivatives(const Model *m, Arena *a) {
  Replacer *solved = replacer_new(m->graph, a), *direct = replacer_new(m->graph, a);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(solved, m->unknowns[j].symbol, m->sorted.solution[j]);
  for (int k = 0; k < m->ne; k++) {
    const Event *e = &m->flat->events.at[k];
    replacer_set(direct, e->mode, replace(direct, replace(solved, e->direct)));
  }
  Expr *f = ARENA_ARRAY(a, Expr, m->nx + 1);
  for (int i = 0; i < m->nx; i++) f[i] = m->ne ? replace(direct, m->f[i]) : m->f[i];
  return f;
}

// By equation of the model, for one experiment.
static bool *find_usable(const Weak *w, const WeakRun *r, Arena *a, Arena *scratch) {
  const Model *m = w->model;
  Expr *hidden = ARENA_ARRAY(scratch, Expr, m->nx + 1);
  int hidden_count = 0;
  for (int i = 0; i < m->nx; i++)
    if (r->known[i].channel < 0) hidden[hidden_count++] = m->x[i];
  unsigned char *contains_hidden = expr_dependents(m->graph, scratch, hidden, hidden_count);
  unsigned char *searched = contains_free(w, scratch, r);
  bool *usable = ARENA_ARRAY(a, bool, m->nx + 1);
  for (int i = 0; i < m->nx; i++)
    usable[i] = r->known[i].channel >= 0 && searched[w->f[i]] && !contains_hidden[w->f[i]];
  return usable;
}

static void init_run(Weak *w, WeakRun *r, int number) {
  const Model *m = w->model;
  int channels = w->problem->experiments[number].channel_count;
  r->experiment = &w->problem->experiments[number];
  r->known = ARENA_ARRAY(w->arena, WeakKnown, m->nx + 1);
  r->gain = ARENA_ARRAY(w->arena, Expr, channels + 1);
  r->offset = ARENA_ARRAY(w->arena, Expr, channels + 1);
  r->inverse = ARENA_ARRAY(w->arena, int, channels + 1);
  r->curve = ARENA_ARRAY(w->arena, Input *, channels + 1);
  r->data = ARENA_ARRAY(w->arena, double *, channels + 1);
  r->p = ARENA_ARRAY(w->arena, double, m->np + 1);
  r->inputs = m->nu;
  r->pieces = ARENA_ARRAY(w->arena, int, m->nu + 1);
  memcpy(r->p, r->experiment->p, (size_t)m->np * sizeof *r->p);
  for (int i = 0; i < m->nx; i++) r->known[i].channel = -1;
}

// The equations that some experiment can use, and in which each can use them.
static void choose_equations(Weak *w, bool *const *usable) {
  const Model *m = w->model;
  w->equations = ARENA_ARRAY(w->arena, WeakEquation, m->nx + 1);
  for (int i = 0; i < m->nx; i++) {
    bool anywhere = false;
    for (int e = 0; e < w->run_count; e++) anywhere |= usable[e][i];
    if (anywhere) w->equations[w->equation_count++] = (WeakEquation){i, w->f[i]};
  }
  for (int e = 0; e < w->run_count; e++) {
    w->runs[e].usable = ARENA_ARRAY(w->arena, bool, w->equation_count + 1);
    for (int q = 0; q < w->equation_count; q++)
      w->runs[e].usable[q] = usable[e][w->equations[q].state];
  }
}

void weak_find_structure(Weak *w, Arena *scratch) {
  const Problem *p = w->problem;
  bool **usable = ARENA_ARRAY(scratch, bool *, p->experiment_count + 1);
  w->run_count = p->experiment_count;
  w->runs = ARENA_ARRAY(w->arena, WeakRun, w->run_count + 1);
  w->f = direct_derivatives(w->model, w->arena);
  number_columns(w);
  for (int e = 0; e < w->run_count; e++) {
    Arena *own = arena_new(); // as large as the graph: not kept for each experiment
    init_run(w, &w->runs[e], e);
    find_measured(w, &w->runs[e], own);
    find_derivatives(w->model, w->runs[e].known);
    usable[e] = find_usable(w, &w->runs[e], scratch, own);
    arena_free(own);
  }
  choose_equations(w, usable);
}

// ---------------------------------------------------------------- the unknowns

static bool enters(const Weak *w, const WeakRun *r, int column) {
  for (int q = 0; q < w->equation_count; q++)
    for (int k = w->slopes.start[q]; k < w->slopes.start[q + 1]; k++)
      if (r->usable[q] && w->slopes.column[k] == column) return true;
  return false;
}

void weak_number_unknowns(Weak *w) {
  const Problem *p = w->problem;
  int *number = ARENA_ARRAY(w->arena, int, p->unknown_count + 1); // + 1, by unknown
  w->unknowns = ARENA_ARRAY(w->arena, int, p->unknown_count + 1);
  for (int e = 0; e < w->run_count; e++) {
    WeakRun *r = &w->runs[e];
    r->unknown = ARENA_ARRAY(w->arena, int, w->parameter_count + 1);
    for (int k = 0; k < w->parameter_count; k++) {
      int i = enters(w, r, k) ? r->free[k] : -1;
      if (i >= 0 && !number[i]) {
        w->unknowns[w->n] = i;
        number[i] = ++w->n;
      }
      r->unknown[k] = i < 0 ? -1 : number[i] - 1;
    }
  }
}

static bool slopes_are_fixed(const Weak *w, const Expr *symbols, Arena *scratch) {
  unsigned char *searched = expr_dependents(w->model->graph, scratch, symbols, w->parameter_count);
  for (int k = 0; k < w->slopes.start[w->equation_count]; k++)
    if (searched[w->slopes.value[k]]) return false;
  return true;
}

void weak_derive_slopes(Weak *w, Arena *scratch) {
  const Model *m = w->model;
  Expr *symbols = ARENA_ARRAY(scratch, Expr, w->parameter_count + 1);
  Expr *f = ARENA_ARRAY(scratch, Expr, w->equation_count + 1);
  for (int k = 0; k < w->parameter_count; k++)
    symbols[k] = m->flat->parameters.at[w->parameters[k]].node;
  for (int q = 0; q < w->equation_count; q++) f[q] = w->equations[q].f;
  w->slopes = derive_rows(m->graph, w->arena, f, w->equation_count, symbols, w->parameter_count);
  w->linear = slopes_are_fixed(w, symbols, scratch);
}
