#include "residual/closed_terms.h"

#include <math.h>

#include "base/names.h"
#include "closed/closed_simulator.h"
#include "expr/simplify.h"
#include "simulate/simulate.h"

static const double SAME = 1e-9; // relative difference of a column and the multiple of another

typedef struct Multiple { // value = factor * state
  int state;              // of the model; -1: none
  double factor;
} Multiple;

struct ClosedTerms {
  const Problem *problem;
  int *states, state_count; // continuous states of the FMU, as states of the model
  Multiple *value_of;       // by state of the model that is measured: what it is
  Multiple *rate_of;        // by continuous state: what its derivative is
};

// ---------------------------------------------------------------- a simulation at the start values

typedef struct Recorded {
  int rows, columns;
  int *column_of; // by state of the model, -1: not recorded
  Expr *what;
  double *at; // [row][column]
} Recorded;

static void want(Recorded *r, const Model *m, int state) {
  if (state < 0 || r->column_of[state] >= 0) return;
  r->column_of[state] = r->columns;
  r->what[r->columns++] = m->x[state];
}

static void record(Arena *a, const Problem *p, Recorded *r) {
  const Experiment *e = &p->experiments[0];
  Model *m = p->model;
  const Channel *c = &e->channels[0];
  r->at = ARENA_ARRAY(a, double, (size_t)c->count *(size_t)r->columns + 16);
  double *parameters = ARENA_ARRAY(a, double, m->np + 1);
  problem_parameters(p, 0, NULL, parameters);
  SystemSpec spec = {.outputs = r->what, .output_count = r->columns, .lanes = 1};
  System *system = system_new(m, &spec);
  SimulateWork *work = simulate_work_new(system, &p->simulate);
  SimulateRequest request = {.p = parameters,
                             .inputs = e->inputs,
                             .origin = e->origin,
                             .start = e->start,
                             .times = c->t,
                             .count = c->count,
                             .experiment = e->number,
                             .experiment_name = e->name};
  Trajectory t = {.values = r->at};
  simulate_run(work, &request, &t);
  r->rows = t.rows;
  simulate_work_free(work);
  system_free(system);
}

// Whether the values of state a are a constant multiple of those of state b.
static bool is_multiple(const Recorded *r, int a, int b, double *factor) {
  int from = r->column_of[a], of = r->column_of[b];
  double ab = 0, bb = 0, aa = 0, off = 0;
  for (int i = 0; i < r->rows; i++) {
    const double *row = r->at + (size_t)i * (size_t)r->columns;
    ab += row[from] * row[of], bb += row[of] * row[of], aa += row[from] * row[from];
  }
  if (!(bb > 0) || !(aa > 0) || !isfinite(ab)) return false;
  *factor = ab / bb;
  if (fabs(*factor - 1) < SAME) *factor = 1;
  for (int i = 0; i < r->rows; i++) {
    const double *row = r->at + (size_t)i * (size_t)r->columns;
    off += pow(row[from] - *factor * row[of], 2);
  }
  return off <= SAME * SAME * aa;
}

static Multiple find_multiple(const ClosedTerms *t, const Recorded *r, int state) {
  Multiple m = {-1, 0};
  for (int k = 0; k < t->state_count; k++) {
    int s = t->states[k];
    if (s == state || !is_multiple(r, state, s, &m.factor)) continue;
    m.state = s;
    return m;
  }
  return m;
}

// ---------------------------------------------------------------- set-up

// By variable of the description: the state of the model.
static int *states_of_variables(Arena *a, const Model *m, const ClosedDescription *d) {
  Names *names = names_new(a);
  for (int i = 0; i < m->nx; i++) names_set(names, m->flat->variables.at[m->state[i]].name, i);
  int *of = ARENA_ARRAY(a, int, d->variables.count + 1);
  for (int k = 0; k < d->variables.count; k++) of[k] = names_find(names, d->variables.at[k].name);
  return of;
}

ClosedTerms *closed_terms_new(Arena *a, const Problem *p) {
  Model *m = p->model;
  const ClosedDescription *d = closed_simulator(p->closed)->description;
  ClosedTerms *t = ARENA_NEW(a, ClosedTerms);
  Arena *scratch = arena_new();
  const int *of = states_of_variables(scratch, m, d);
  Recorded r = {.column_of = ARENA_ARRAY(scratch, int, m->nx + 1),
                .what = ARENA_ARRAY(scratch, Expr, m->nx + 1)};
  t->problem = p;
  t->states = ARENA_ARRAY(a, int, d->states.count + 1);
  t->value_of = ARENA_ARRAY(a, Multiple, m->nx + 1);
  t->rate_of = ARENA_ARRAY(a, Multiple, m->nx + 1);
  for (int i = 0; i < m->nx; i++) {
    r.column_of[i] = -1;
    t->value_of[i].state = t->rate_of[i].state = -1;
  }
  pthread_mutex_lock(m->lock);
  const unsigned char *measured = expr_contents(m->graph, scratch, p->measured, p->measured_count);
  pthread_mutex_unlock(m->lock);
  for (int i = 0; i < m->nx; i++)
    if (measured[m->x[i]]) want(&r, m, i);
  for (int k = 0; k < d->states.count; k++) {
    t->states[t->state_count++] = of[d->states.at[k]];
    want(&r, m, of[d->states.at[k]]);
    if (d->derivatives.at[k] >= 0) want(&r, m, of[d->derivatives.at[k]]);
  }
  record(scratch, p, &r);
  for (int i = 0; i < m->nx; i++)
    if (measured[m->x[i]]) t->value_of[i] = find_multiple(t, &r, i);
  for (int k = 0; k < d->states.count; k++) {
    int state = t->states[k], derivative = d->derivatives.at[k];
    t->value_of[state] = (Multiple){state, 1};
    if (derivative >= 0) t->rate_of[state] = find_multiple(t, &r, of[derivative]);
  }
  arena_free(scratch);
  return t;
}

// ---------------------------------------------------------------- terms

static Expr divided(Model *m, Expr e, double by) {
  return by == 1 ? e : expr_div(m->graph, e, expr_const(m->graph, by));
}

int closed_default_terms(const ClosedTerms *t, Arena *a, int channel, bool rates,
                         CoupleTerm *terms) {
  Model *m = t->problem->model;
  CoupleTerm *found = ARENA_ARRAY(a, CoupleTerm, 2 * m->nx + 1);
  int all = couple_default_terms(m, a, t->problem->measured, channel, false, found), count = 0;
  pthread_mutex_lock(m->lock);
  for (int k = 0; k < all; k++) {
    Multiple is = t->value_of[found[k].state];
    if (is.state < 0) continue;
    Expr direction = divided(m, found[k].direction, is.factor);
    terms[count++] = (CoupleTerm){channel, is.state, direction, false};
  }
  for (int k = 0, measured = count; rates && k < measured; k++) {
    Multiple rate = t->rate_of[terms[k].state];
    bool taken = rate.state < 0;
    for (int i = 0; i < count; i++) taken |= terms[i].state == rate.state;
    if (!taken)
      terms[count++] =
          (CoupleTerm){channel, rate.state, divided(m, terms[k].direction, rate.factor), true};
  }
  pthread_mutex_unlock(m->lock);
  return count;
}
