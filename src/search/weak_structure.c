// What the data say about states, which equations can be used, which unknowns they determine.
#include <string.h>

#include "expr/replace.h"
#include "search/weak_form.h"

// ---------------------------------------------------------------- what is known from the data

static bool is_free_in(const Problem *p, int parameter, int experiment) {
  for (int i = 0; i < p->unknown_count; i++)
    if (p->unknowns[i].parameter == parameter &&
        (p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == experiment))
      return true;
  return false;
}

// By node: whether it contains an unknown of this experiment.
static unsigned char *contains_free(const Weak *w, Arena *a, int experiment) {
  const Problem *p = w->problem;
  Expr *nodes = ARENA_ARRAY(a, Expr, p->unknown_count + 1);
  int count = 0;
  for (int i = 0; i < p->unknown_count; i++)
    if (is_free_in(p, p->unknowns[i].parameter, experiment))
      nodes[count++] = w->model->flat->parameters.at[p->unknowns[i].parameter].node;
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

static void find_measured(Weak *w, WeakRun *r, int number, Arena *scratch) {
  const Model *m = w->model;
  unsigned char *searched = contains_free(w, scratch, number);
  Replacer *zero = replacer_new(m->graph, scratch);
  for (int c = 0; c < r->experiment->channel_count; c++) {
    const Channel *channel = &r->experiment->channels[c];
    if (channel->count < 2 * WEAK_HALF_LEAST) continue;
    if (channel->delay >= 0 && is_free_in(w->problem, channel->delay, number)) continue;
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
static bool *find_usable(const Weak *w, const WeakRun *r, int number, const Expr *f, Arena *a) {
  const Model *m = w->model;
  Expr *hidden = ARENA_ARRAY(a, Expr, m->nx + 1);
  int hidden_count = 0;
  for (int i = 0; i < m->nx; i++)
    if (r->known[i].channel < 0) hidden[hidden_count++] = m->x[i];
  unsigned char *contains_hidden = expr_dependents(m->graph, a, hidden, hidden_count);
  unsigned char *searched = contains_free(w, a, number);
  bool *usable = ARENA_ARRAY(a, bool, m->nx + 1);
  for (int i = 0; i < m->nx; i++)
    usable[i] = r->known[i].channel >= 0 && searched[f[i]] && !contains_hidden[f[i]];
  return usable;
}

static void init_run(Weak *w, WeakRun *r, int number) {
  const Model *m = w->model;
  int channels = w->problem->experiments[number].channel_count;
  r->experiment = &w->problem->experiments[number];
  r->known = ARENA_ARRAY(w->arena, WeakKnown, m->nx + 1);
  r->gain = ARENA_ARRAY(w->arena, Expr, channels + 1);
  r->offset = ARENA_ARRAY(w->arena, Expr, channels + 1);
  r->curve = ARENA_ARRAY(w->arena, Input *, channels + 1);
  r->data = ARENA_ARRAY(w->arena, double *, channels + 1);
  r->p = ARENA_ARRAY(w->arena, double, m->np + 1);
  r->inputs = m->nu;
  r->pieces = ARENA_ARRAY(w->arena, int, m->nu + 1);
  memcpy(r->p, r->experiment->p, (size_t)m->np * sizeof *r->p);
  for (int i = 0; i < m->nx; i++) r->known[i].channel = -1;
}

// The equations that some experiment can use, and in which each can use them.
static void choose_equations(Weak *w, bool *const *usable, const Expr *f) {
  const Model *m = w->model;
  w->equations = ARENA_ARRAY(w->arena, WeakEquation, m->nx + 1);
  for (int i = 0; i < m->nx; i++) {
    bool anywhere = false;
    for (int e = 0; e < w->run_count; e++) anywhere |= usable[e][i];
    if (anywhere) w->equations[w->equation_count++] = (WeakEquation){i, f[i]};
  }
  for (int e = 0; e < w->run_count; e++) {
    w->runs[e].usable = ARENA_ARRAY(w->arena, bool, w->equation_count + 1);
    for (int q = 0; q < w->equation_count; q++)
      w->runs[e].usable[q] = usable[e][w->equations[q].state];
  }
}

void weak_find_structure(Weak *w, Arena *scratch) {
  const Problem *p = w->problem;
  Expr *f = direct_derivatives(w->model, scratch);
  bool **usable = ARENA_ARRAY(scratch, bool *, p->experiment_count + 1);
  w->run_count = p->experiment_count;
  w->runs = ARENA_ARRAY(w->arena, WeakRun, w->run_count + 1);
  for (int e = 0; e < w->run_count; e++) {
    init_run(w, &w->runs[e], e);
    find_measured(w, &w->runs[e], e, scratch);
    find_derivatives(w->model, w->runs[e].known);
    usable[e] = find_usable(w, &w->runs[e], e, f, scratch);
  }
  choose_equations(w, usable, f);
}

// ---------------------------------------------------------------- the unknowns

// The unknown that parameter `parameter` is in an experiment.
int weak_free_number(const Problem *p, int parameter, int experiment) {
  int found = -1;
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *f = &p->unknowns[i];
    if (f->parameter == parameter &&
        (f->experiment == experiment || (f->experiment < 0 && found < 0)))
      found = i;
  }
  return found;
}

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
      int i = enters(w, r, k) ? weak_free_number(p, w->parameters[k], e) : -1;
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
  w->parameters = ARENA_ARRAY(w->arena, int, w->problem->unknown_count + 1);
  w->parameter_count = problem_unknown_parameters(w->problem, w->parameters);
  Expr *symbols = ARENA_ARRAY(scratch, Expr, w->parameter_count + 1);
  Expr *f = ARENA_ARRAY(scratch, Expr, w->equation_count + 1);
  for (int k = 0; k < w->parameter_count; k++)
    symbols[k] = m->flat->parameters.at[w->parameters[k]].node;
  for (int q = 0; q < w->equation_count; q++) f[q] = w->equations[q].f;
  w->slopes = derive_rows(m->graph, w->arena, f, w->equation_count, symbols, w->parameter_count);
  w->linear = slopes_are_fixed(w, symbols, scratch);
}
