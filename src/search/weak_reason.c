// Why the weak form says nothing of an unknown, in the words of the model.
#include "search/weak_form.h"

int weak_state_of_start(const Model *m, int parameter) {
  for (int i = 0; i < m->nx; i++)
    if (m->x0[i] == m->flat->parameters.at[parameter].node) return i;
  return -1;
}

static const char *state_name(const Model *m, int state) {
  return m->flat->variables.at[m->state[state]].name;
}

static const char *reason_of_start(const Weak *w, const WeakRun *r, int state, Arena *a) {
  const char *name = state_name(w->model, state);
  if (r->known[state].channel < 0)
    return arena_print(a, "it is the start value of %s, which is not measured", name);
  return arena_print(a, "the data of %s do not show its start", name);
}

static int first_hidden(const Weak *w, const WeakRun *r, Expr f, Arena *a) {
  for (int i = 0; i < w->model->nx; i++)
    if (r->known[i].channel < 0 && expr_dependents(w->model->graph, a, &w->model->x[i], 1)[f])
      return i;
  return -1;
}

// Of an equation that contains the unknown.
static const char *reason_in_equation(const Weak *w, const WeakRun *r, int state, Arena *a) {
  const char *name = state_name(w->model, state);
  int hidden = first_hidden(w, r, w->f[state], a);
  if (r->known[state].channel < 0)
    return arena_print(
        a, "only der(%s) contains it, and %s is neither measured nor the derivative of what is",
        name, name);
  if (hidden >= 0)
    return arena_print(a, "der(%s) also contains %s, which is not measured", name,
                       state_name(w->model, hidden));
  if (!r->points) return "its experiment has too few samples";
  if (w->not_computable && !w->computed)
    return arena_print(a,
                       "der(%s), which contains it, cannot be computed from the data with any of "
                       "the values that were tried",
                       name);
  return "the data do not determine it";
}

const char *weak_reason(const Weak *w, const Unknown *f, Arena *a) {
  const Model *m = w->model;
  if (m->nx == 0) return "the model has no states";
  const WeakRun *r = &w->runs[f->experiment >= 0 ? f->experiment : 0];
  int state = weak_state_of_start(m, f->parameter), at = -1;
  if (state >= 0) return reason_of_start(w, r, state, a);
  unsigned char *with = expr_dependents(m->graph, a, &m->flat->parameters.at[f->parameter].node, 1);
  for (int i = m->nx - 1; i >= 0; i--) // an equation of what is known says more
    if (with[w->f[i]] && (at < 0 || r->known[at].channel < 0 || r->known[i].channel >= 0)) at = i;
  return at < 0 ? "it enters no equation of a derivative" : reason_in_equation(w, r, at, a);
}
