// The coupled model: dx/dt = f + lambda * sum over terms of gain * direction * error, error = data - measured
// (Vyasarayani, Uchida, Carvalho and McPhee 2011, doi 10.1007/s11044-011-9260-0; with the integral of the error:
// Manikantan, Chakraborty, Uchida and Vyasarayani 2020).
//
// Default directions: d / |d|^2 with the gradient d of the measured quantity by the states, so that this follows the
// data at the rate of the gain whatever the units; with rates the same for its derivative by time. Where the model has
// invariants, tangent.h turns all pushes along them.
#include "model/couple.h"

#include <math.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/simplify.h"
#include "model/extend.h"
#include "model/independent.h"
#include "model/system.h"
#include "model/tangent.h"
#include "num/random.h"

// ---------------------------------------------------------------- where the error acts

// Sizes of states matter only where a push has to be shared among them.
static Expr weight_of(const Model *m, int state) {
  return expr_const(m->graph, m->invariant_count ? tangent_weight(m, state) : 1);
}

static Expr sum_of_squares(const Model *m, const Expr *d) {
  Graph *g = m->graph;
  Expr sum = expr_const(g, 0);
  for (int i = 0; i < m->nx; i++)
    sum = expr_add(g, sum, expr_mul(g, weight_of(m, i), expr_mul(g, d[i], d[i])));
  return sum;
}

static Expr *gradient(Model *m, Arena *a, Expr e) {
  Expr *d = ARENA_ARRAY(a, Expr, m->nx + 1);
  Derivatives rows = derive_rows(m->graph, a, &e, 1, m->x, m->nx);
  for (int i = 0; i < m->nx; i++) d[i] = expr_const(m->graph, 0);
  for (int k = 0; k < rows.start[1]; k++) // discrete variables stay where they are
    if (!m->flat->variables.at[m->state[rows.column[k]]].now) d[rows.column[k]] = rows.value[k];
  return d;
}

enum { SMALL_PERCENT = 1 }; // keeps directions finite where the measured quantity stands still

// d / |d|^2: the measured quantity then changes at the rate of the gain.
static int add_terms(Model *m, const Expr *d, int channel, bool rate, CoupleTerm *terms) {
  Graph *g = m->graph;
  int count = 0;
  Expr size = sum_of_squares(m, d);
  if (expr_varies(g, size)) size = expr_add(g, size, expr_const(g, SMALL_PERCENT / 100.0));
  for (int i = 0; i < m->nx; i++)
    if (!expr_is_value(g, d[i], 0))
      terms[count++] =
          (CoupleTerm){channel, i, expr_mul(g, weight_of(m, i), expr_div(g, d[i], size)), rate};
  return count;
}

// Forces and accelerations depend on positions and rates alike. A feedback from them would have to change both
// wherever they are off, which is slow and helps little.
static bool can_be_coupled(Model *m, Arena *a, const Expr *d) {
  Tangent *t = tangent_new(m, a);
  return !t || tangent_is_pure(t, d);
}

int couple_default_terms(Model *m, Arena *a, const Expr *measured, int channel, bool rates,
                         CoupleTerm *terms) {
  Graph *g = m->graph;
  pthread_mutex_lock(m->lock);
  Expr *d = gradient(m, a, measured[channel]), speed = expr_const(g, 0);
  int count = can_be_coupled(m, a, d) ? add_terms(m, d, channel, false, terms) : 0;
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

// ---------------------------------------------------------------- the coupled model

typedef enum PushKind { PUSH_MEASURED, PUSH_RATE, PUSH_INTEGRAL, PUSH_KINDS } PushKind;

typedef struct Push { // a signal times a direction
  Expr signal;
  Expr *direction; // by state, NULL: none
} Push;

typedef struct CoupleBuilder {
  const Coupling *c;
  Coupled *out;
  Model *m; // the new model
  Graph *g;
  Arena *arena;
  Expr lambda, *error; // by channel
  int nx;              // of the model itself
  Tangent *tangent;    // NULL: every direction is free
  Push *pushes[PUSH_KINDS];
} CoupleBuilder;

static void *longer(Arena *a, const void *old, int count, int more, size_t size) {
  char *new = arena_alloc(a, (size_t)(count + more + 1), size);
  if (count) memcpy(new, old, (size_t)count * size);
  return new;
}
#define LONGER(a, array, count, more) longer((a), (array), (count), (more), sizeof *(array))

static Expr add_parameter(CoupleBuilder *t, const char *name, int *number) {
  *number = model_add_parameter(t->m, name, 0);
  return t->m->flat->parameters.at[*number].node;
}

static void add_inputs(CoupleBuilder *t) {
  Model *m = t->m;
  int more = t->c->channels;
  m->u = LONGER(t->arena, m->u, m->nu, more);
  m->input = LONGER(t->arena, m->input, m->nu, more);
  m->input_order = LONGER(t->arena, m->input_order, m->nu, more);
  t->error = ARENA_ARRAY(t->arena, Expr, more + 1);
  t->out->first_input = m->nu;
  for (int k = 0; k < more; k++) {
    Expr data = expr_symbol(t->g, "data", true);
    m->input[m->nu] = -1; // no variable of the model
    m->u[m->nu++] = data;
    t->error[k] = expr_sub(t->g, data, t->c->measured[k]);
  }
}

static void add_to_slope(CoupleBuilder *t, int state, Expr gain, Expr what) {
  Expr push = expr_mul(t->g, expr_mul(t->g, t->lambda, gain), what);
  t->m->f[state] = expr_add(t->g, t->m->f[state], push);
}

static void collect_push(CoupleBuilder *t, PushKind kind, const CoupleTerm *term, Expr gain,
                         Expr signal) {
  Push *p = &t->pushes[kind][t->c->by_state ? term->state : term->channel];
  bool begins = !p->direction;
  if (begins) p->direction = ARENA_ARRAY(t->arena, Expr, t->nx + 1); // 0 is the number 0
  Expr *at = &p->direction[term->state];
  if (t->c->by_state) {
    Expr more = expr_mul(t->g, gain, signal);
    *at = term->direction;
    p->signal = begins ? more : expr_add(t->g, p->signal, more);
    return;
  }
  *at = expr_add(t->g, *at, expr_mul(t->g, gain, term->direction));
  p->signal = signal;
}

static void add_feedback(CoupleBuilder *t, PushKind kind, const CoupleTerm *term, Expr gain,
                         Expr signal) {
  if (t->tangent)
    collect_push(t, kind, term, gain, signal);
  else
    add_to_slope(t, term->state, gain, expr_mul(t->g, term->direction, signal));
}

// ---------------------------------------------------------------- pushes along the invariants

static TangentPush with_slack(CoupleBuilder *t, const Push *p) {
  CoupleSlack *s = &t->out->slacks[t->out->slack_count++];
  Expr slack = add_parameter(t, "slack", &s->parameter);
  s->freedom = tangent_freedom(t->tangent, p->direction);
  return (TangentPush){p->direction, p->signal, slack};
}

static int push_count(const CoupleBuilder *t) {
  return t->c->by_state ? t->nx : t->c->channels;
}

static void add_pushes(CoupleBuilder *t, PushKind kind) {
  TangentPush *list = ARENA_ARRAY(t->arena, TangentPush, push_count(t) + 1);
  Expr *push = ARENA_ARRAY(t->arena, Expr, t->nx + 1), one = expr_const(t->g, 1);
  int count = 0;
  for (int k = 0; k < push_count(t); k++)
    if (t->pushes[kind][k].direction) list[count++] = with_slack(t, &t->pushes[kind][k]);
  if (count == 0) return;
  tangent_push(t->tangent, list, count, push);
  for (int i = 0; i < t->nx; i++) add_to_slope(t, i, one, push[i]);
}

static void begin_pushes(CoupleBuilder *t, Model *m) {
  t->tangent = tangent_new(m, t->arena);
  t->out->slacks = ARENA_ARRAY(t->arena, CoupleSlack, PUSH_KINDS * push_count(t) + 1);
  for (int kind = 0; kind < PUSH_KINDS; kind++)
    t->pushes[kind] = ARENA_ARRAY(t->arena, Push, push_count(t) + 1);
}

// ---------------------------------------------------------------- integrals

static int new_state_variable(CoupleBuilder *t, int channel) {
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

static void add_integral_states(CoupleBuilder *t) {
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

static void add_integrals(CoupleBuilder *t) {
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
    add_feedback(t, PUSH_INTEGRAL, term, gain[term->channel], q);
  }
}

// ---------------------------------------------------------------- the whole

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
  CoupleBuilder t = {
      .c = &out->how, .out = out, .m = out->model, .g = m->graph, .arena = a, .nx = m->nx};
  out->model->f = LONGER(a, m->f, m->nx, 0);
  out->gain = ARENA_ARRAY(a, int, c->term_count + 1);
  t.lambda = add_parameter(&t, "lambda", &out->lambda);
  add_inputs(&t);
  begin_pushes(&t, m);
  for (int k = 0; k < c->term_count; k++) {
    const CoupleTerm *term = &c->terms[k];
    Expr gain = add_parameter(&t, "gain", &out->gain[k]);
    add_feedback(&t, term->rate ? PUSH_RATE : PUSH_MEASURED, term, gain, t.error[term->channel]);
  }
  if (c->integral != COUPLE_NO_INTEGRAL) add_integrals(&t);
  for (int kind = 0; kind < PUSH_KINDS && t.tangent; kind++) add_pushes(&t, (PushKind)kind);
  out->measured = LONGER(a, c->measured, c->channels, 0);
  Expr *pushes = ARENA_ARRAY(a, Expr, c->term_count + 1);
  for (int k = 0; k < c->term_count; k++) pushes[k] = c->terms[k].direction;
  Jumping jumping = {out->measured, c->channels, pushes, c->term_count};
  out->blend_count = blend_jumps(m, out->model, &jumping, &out->blends);
  return out;
}

static bool is_same(const Coupling *a, const Coupling *b) {
  if (a->channels != b->channels || a->term_count != b->term_count || a->integral != b->integral ||
      a->by_state != b->by_state)
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

// ---------------------------------------------------------------- slack

enum { SLACK_POINTS = 6 };
static const double SLACK_SPREAD = 0.5; // of the points around the start, in sizes of the states

// States near x that satisfy the invariants, the first without a change. false: none found.
static bool visit(const Model *m, Conditions *c, int number, const double *from, double *x) {
  Random r;
  random_seed(&r, (uint64_t)number);
  for (int i = 0; i < m->nx; i++) {
    double size = from[i] != 0 ? fabs(from[i]) : sqrt(tangent_weight(m, i));
    x[i] = from[i] + (number ? SLACK_SPREAD * size * (2 * random_uniform(&r) - 1) : 0);
  }
  return conditions_settle(c, NULL, x);
}

// And the start attributes of the states.
static Conditions *invariants_of(Model *m, Arena *a, double *start) {
  Expr *residual = ARENA_ARRAY(a, Expr, m->invariant_count + 1);
  for (int i = 0; i < m->invariant_count; i++) residual[i] = m->invariants[i].residual;
  pthread_mutex_lock(m->lock);
  Conditions *c = conditions_new(m, residual, m->invariant_count);
  start_attributes(m, NULL, start);
  pthread_mutex_unlock(m->lock);
  return c;
}

// Values that the freedoms have around the start, at the parameters of the text with gains of 1; summed.
static int sum_freedoms(Model *m, const Coupled *c, SystemWork *w, Arena *a, double *sum) {
  int n = c->slack_count, found = 0, nx = w->system->nx;
  double *p = ARENA_ARRAY(a, double, c->model->np + 1), *start = ARENA_ARRAY(a, double, nx + 1);
  double *x = ARENA_ARRAY(a, double, nx + 1), *value = ARENA_ARRAY(a, double, n + 1);
  for (int k = 0; k < c->model->np; k++) p[k] = c->model->flat->parameters.at[k].value;
  for (int k = 0; k < c->how.term_count; k++) p[c->gain[k]] = 1;
  for (int k = 0; k < c->how.channels && c->gain_integral; k++) p[c->gain_integral[k]] = 1;
  Conditions *invariants = invariants_of(m, a, start);
  system_set_parameters(w, p);
  for (int k = 0; k < SLACK_POINTS; k++) {
    double finite = 0;
    if (!visit(m, invariants, k, start, x)) continue;
    system_outputs(w, 0, x, value, NULL);
    for (int i = 0; i < n; i++) finite += 0 * value[i];
    for (int i = 0; i < n && finite == 0; i++) sum[i] += value[i];
    found += finite == 0;
  }
  conditions_free(invariants);
  return found;
}

// A small part of the usual freedom.
static void choose_slacks(Model *m, Coupled *c) {
  Arena *a = arena_new();
  int n = c->slack_count;
  Expr *freedom = ARENA_ARRAY(a, Expr, n + 1);
  double *sum = ARENA_ARRAY(a, double, n + 1);
  for (int i = 0; i < n; i++) freedom[i] = c->slacks[i].freedom;
  SystemSpec spec = {.outputs = freedom, .output_count = n, .lanes = 1, .code = CODE_INTERPRETER};
  System *s = system_new(c->model, &spec);
  SystemWork *w = system_work_new(s);
  int found = sum_freedoms(m, c, w, a, sum);
  for (int i = 0; i < n; i++) {
    double usual = found && sum[i] > 0 ? sum[i] / found : 1;
    c->model->flat->parameters.at[c->slacks[i].parameter].value = SMALL_PERCENT / 100.0 * usual;
  }
  system_work_free(w);
  system_free(s);
  arena_free(a);
}

// ---------------------------------------------------------------- equal couplings

static Coupled *find_coupled(Model *m, const Coupling *c) {
  Coupled *found = m->coupled;
  while (found && !is_same(&found->how, c)) found = found->next;
  return found;
}

const Coupled *couple(Model *m, const Coupling *c) {
  pthread_mutex_lock(m->lock);
  Coupled *found = find_coupled(m, c), *made = found ? NULL : make_coupled(m, c);
  pthread_mutex_unlock(m->lock);
  if (!made) return found;
  if (made->slack_count) choose_slacks(m, made);
  pthread_mutex_lock(m->lock);
  found = find_coupled(m, c); // another thread may have been faster
  if (!found) {
    found = made;
    made->next = m->coupled;
    m->coupled = made;
  }
  pthread_mutex_unlock(m->lock);
  return found;
}
