#include "model/couple.h"

#include <string.h>

#include "expr/derive.h"
#include "model/extend.h"

// ---------------------------------------------------------------- where the error acts

static Expr sum_of_squares(Graph *g, const Expr *d, int n) {
  Expr sum = expr_const(g, 0);
  for (int i = 0; i < n; i++) sum = expr_add(g, sum, expr_mul(g, d[i], d[i]));
  return sum;
}

static Expr *gradient(Model *m, Arena *a, Expr e) {
  Expr *d = ARENA_ARRAY(a, Expr, m->nx + 1);
  Derivatives rows = derive_rows(m->graph, a, &e, 1, m->x, m->nx);
  for (int i = 0; i < m->nx; i++) d[i] = expr_const(m->graph, 0);
  for (int k = 0; k < rows.start[1]; k++) d[rows.column[k]] = rows.value[k];
  return d;
}

enum { SMALL_PERCENT = 1 }; // keeps directions finite where the measured quantity stands still

// d / |d|^2: the measured quantity then changes at the rate of the gain.
static int add_terms(Model *m, const Expr *d, int channel, bool rate, CoupleTerm *terms) {
  Graph *g = m->graph;
  int count = 0;
  Expr size = sum_of_squares(g, d, m->nx);
  if (expr_varies(g, size)) size = expr_add(g, size, expr_const(g, SMALL_PERCENT / 100.0));
  for (int i = 0; i < m->nx; i++)
    if (!expr_is_value(g, d[i], 0))
      terms[count++] = (CoupleTerm){channel, i, expr_div(g, d[i], size), rate};
  return count;
}

int couple_default_terms(Model *m, Arena *a, const Expr *measured, int channel, bool rates,
                         CoupleTerm *terms) {
  Graph *g = m->graph;
  pthread_mutex_lock(m->lock);
  Expr *d = gradient(m, a, measured[channel]), speed = expr_const(g, 0);
  int count = add_terms(m, d, channel, false, terms);
  for (int i = 0; i < m->nx; i++) speed = expr_add(g, speed, expr_mul(g, d[i], m->f[i]));
  if (rates && count) {
    Expr *drive = gradient(m, a, speed);
    for (int i = 0; i < m->nx; i++)
      if (!expr_is_value(g, d[i], 0)) drive[i] = expr_const(g, 0);
    count += add_terms(m, drive, channel, true, terms + count);
  }
  pthread_mutex_unlock(m->lock);
  return count;
}

// ---------------------------------------------------------------- the tied model

typedef struct Tie {
  const Coupling *c;
  Coupled *out;
  Model *m; // the new model
  Graph *g;
  Arena *arena;
  Expr lambda, *error; // by channel
  int nx;              // of the model itself
} Tie;

static void *longer(Arena *a, const void *old, int count, int more, size_t size) {
  char *new = arena_alloc(a, (size_t)(count + more + 1), size);
  if (count) memcpy(new, old, (size_t)count * size);
  return new;
}
#define LONGER(a, array, count, more) longer((a), (array), (count), (more), sizeof *(array))

static Expr add_parameter(Tie *t, const char *name, int *number) {
  *number = model_add_parameter(t->m, name, 0);
  return t->m->flat->parameters.at[*number].node;
}

static void add_inputs(Tie *t) {
  Model *m = t->m;
  int more = t->c->channels;
  m->u = LONGER(t->arena, m->u, m->nu, more);
  m->input = LONGER(t->arena, m->input, m->nu, more);
  t->error = ARENA_ARRAY(t->arena, Expr, more + 1);
  t->out->first_input = m->nu;
  for (int k = 0; k < more; k++) {
    Expr data = expr_symbol(t->g, "data", true);
    m->input[m->nu] = -1; // no variable of the model
    m->u[m->nu++] = data;
    t->error[k] = expr_sub(t->g, data, t->c->measured[k]);
  }
}

static void add_feedback(Tie *t, int state, Expr gain, Expr what) {
  Expr push = expr_mul(t->g, expr_mul(t->g, t->lambda, gain), what);
  t->m->f[state] = expr_add(t->g, t->m->f[state], push);
}

static int new_state_variable(Tie *t, int channel) {
  Flat *f = t->m->flat;
  Variable v = {.name = arena_print(f->arena, "integral of error %d", channel),
                .description = "",
                .unit = "",
                .kind = VARIABLE_UNKNOWN,
                .nominal = 1};
  v.node = expr_symbol(t->g, v.name, true);
  array_push(f->arena, &f->variables, v);
  return f->variables.count - 1;
}

static void add_integral_states(Tie *t) {
  Model *m = t->m;
  int more = t->c->channels;
  m->x = LONGER(t->arena, m->x, m->nx, more);
  m->x0 = LONGER(t->arena, m->x0, m->nx, more);
  m->f = LONGER(t->arena, m->f, m->nx, more);
  m->state = LONGER(t->arena, m->state, m->nx, more);
  t->out->first_integral = m->nx;
  for (int k = 0; k < more; k++) {
    Expr e = t->error[k], zero = expr_const(t->g, 0);
    m->state[m->nx] = new_state_variable(t, k);
    m->x[m->nx] = m->flat->variables.at[m->state[m->nx]].node;
    m->x0[m->nx] = zero;
    m->f[m->nx++] = t->c->integral == COUPLE_SQUARE ? expr_mul(t->g, e, e) : e;
  }
}

static bool has_rate(const Coupling *c, int channel) {
  for (int k = 0; k < c->term_count; k++)
    if (c->terms[k].channel == channel && c->terms[k].rate) return true;
  return false;
}

static void add_integrals(Tie *t) {
  const Coupling *c = t->c;
  Expr *gain = ARENA_ARRAY(t->arena, Expr, c->channels + 1);
  t->out->gain_integral = ARENA_ARRAY(t->arena, int, c->channels + 1);
  for (int k = 0; k < c->channels; k++)
    gain[k] = add_parameter(t, "gain_integral", &t->out->gain_integral[k]);
  add_integral_states(t);
  for (int k = 0; k < c->term_count; k++) {
    const CoupleTerm *term = &c->terms[k];
    if (!term->rate && has_rate(c, term->channel)) continue;
    Expr q = t->m->x[t->out->first_integral + term->channel];
    add_feedback(t, term->state, gain[term->channel], expr_mul(t->g, term->direction, q));
  }
}

static Coupling copy_coupling(Arena *a, const Coupling *c) {
  Coupling copy = *c;
  copy.measured = LONGER(a, c->measured, c->channels, 0);
  copy.terms = LONGER(a, c->terms, c->term_count, 0);
  return copy;
}

static Coupled *make_coupled(Model *m, const Coupling *c) {
  Arena *a = m->arena;
  Coupled *out = ARENA_NEW(a, Coupled);
  *out = (Coupled){.how = copy_coupling(a, c), .model = model_copy(m, a), .first_integral = -1};
  Tie t = {.c = &out->how, .out = out, .m = out->model, .g = m->graph, .arena = a, .nx = m->nx};
  out->model->f = LONGER(a, m->f, m->nx, 0);
  out->gain = ARENA_ARRAY(a, int, c->term_count + 1);
  t.lambda = add_parameter(&t, "lambda", &out->lambda);
  add_inputs(&t);
  for (int k = 0; k < c->term_count; k++) {
    const CoupleTerm *term = &c->terms[k];
    Expr gain = add_parameter(&t, "gain", &out->gain[k]);
    add_feedback(&t, term->state, gain, expr_mul(t.g, term->direction, t.error[term->channel]));
  }
  if (c->integral != COUPLE_NO_INTEGRAL) add_integrals(&t);
  return out;
}

static bool is_same(const Coupling *a, const Coupling *b) {
  if (a->channels != b->channels || a->term_count != b->term_count || a->integral != b->integral)
    return false;
  for (int k = 0; k < a->channels; k++)
    if (a->measured[k] != b->measured[k]) return false;
  for (int k = 0; k < a->term_count; k++) {
    const CoupleTerm *s = &a->terms[k], *t = &b->terms[k];
    if (s->channel != t->channel || s->state != t->state || s->direction != t->direction ||
        s->rate != t->rate)
      return false;
  }
  return true;
}

const Coupled *couple(Model *m, const Coupling *c) {
  pthread_mutex_lock(m->lock);
  Coupled *found = m->coupled;
  while (found && !is_same(&found->how, c)) found = found->next;
  if (!found) {
    found = make_coupled(m, c);
    found->next = m->coupled;
    m->coupled = found;
  }
  pthread_mutex_unlock(m->lock);
  return found;
}
