#include "residual/varied_problem.h"

#include <math.h>
#include <string.h>

#include "expr/simplify.h"
#include "model/extend.h"
#include "num/noise.h"
#include "num/random.h"
#include "problem/residual_kind.h"

static Problem *copy_problem(Arena *a, const Problem *p) {
  Problem *copy = ARENA_NEW(a, Problem);
  *copy = *p;
  copy->experiments = ARENA_ARRAY(a, Experiment, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) copy->experiments[e] = p->experiments[e];
  return copy;
}

Problem *problem_with_interpolation(Arena *a, const Problem *p, const bool *input, InputKind kind) {
  Problem *copy = copy_problem(a, p);
  for (int e = 0; e < p->experiment_count; e++) {
    const Input **inputs = ARENA_ARRAY(a, const Input *, p->model->nu + 1);
    for (int u = 0; u < p->model->nu; u++) {
      const Input *old = p->experiments[e].inputs[u];
      inputs[u] = input[u] && input_is_sampled(old) ? input_as(a, old, kind) : old;
    }
    copy->experiments[e].inputs = inputs;
  }
  return copy;
}

Problem *problem_by_integrator(Arena *a, const Problem *p) {
  Problem *copy = copy_problem(a, p);
  copy->options.prediction_by = PREDICTION_BY_INTEGRATOR;
  return copy;
}

Problem *problem_softened(Arena *a, const Problem *p, const Soft *softs, int count) {
  Problem *copy = copy_problem(a, p);
  copy->measured = ARENA_ARRAY(a, Expr, p->measured_count + 1);
  for (int i = 0; i < p->measured_count; i++) copy->measured[i] = p->measured[i];
  copy->model = model_softened(p->model, a, softs, count, copy->measured, p->measured_count);
  return copy->model ? copy : NULL;
}

static void add_noise(Arena *a, Experiment *x, double sign, Random *random) {
  Channel *noisy = ARENA_ARRAY(a, Channel, x->recorded_count + 1);
  for (int c = 0; c < x->recorded_count; c++) {
    const Channel *old = &x->recorded[c];
    double noise = noise_deviation(old->t, old->y, old->count);
    double *y = ARENA_ARRAY(a, double, old->count + 1);
    for (int i = 0; i < old->count; i++)
      y[i] = old->y[i] + (noise > 0 ? sign * noise * random_normal(random) : 0);
    noisy[c] = *old;
    noisy[c].y = y;
  }
  x->recorded = noisy;
}

Problem *problem_with_noise(Arena *a, const Problem *p, double sign) {
  Problem *copy = copy_problem(a, p);
  Random random;
  Err unused = {0};
  random_seed_stream(&random, (uint64_t)p->options.seed, 0);
  for (int e = 0; e < p->experiment_count; e++) add_noise(a, &copy->experiments[e], sign, &random);
  if (!residual_kind_apply(copy, a, &unused)) return NULL;
  for (int e = 0; e < p->experiment_count; e++) // as with the data themselves
    for (int c = 0; c < copy->experiments[e].channel_count; c++)
      copy->experiments[e].channels[c].weight = p->experiments[e].channels[c].weight;
  return copy;
}

// ---------------------------------------------------------------- terms

int state_of_rate(const Model *m, int rate) {
  for (int i = 0; i < m->nx; i++)
    if (m->f[i] == m->x[rate]) return i;
  return -1;
}

// der(x) = v, or a number that does not change: there is nothing to add.
static bool is_given(const Model *m, int state) {
  for (int i = 0; i < m->nx; i++)
    if (m->f[state] == m->x[i]) return true;
  return expr_is_value(m->graph, m->f[state], 0);
}

typedef struct TermList {
  EquationTerm *at;
  int count, most;
} TermList;

static void add_term(TermList *list, EquationTerm t) {
  if (!(t.of_size > 0) || !(t.size > 0)) return;
  if (list->count < list->most) list->at[list->count] = t;
  list->count++;
}

int equation_terms(const Problem *p, const double *size, const double *rate, const double *input,
                   EquationTerm *terms, int most) {
  const Model *m = p->model;
  TermList list = {terms, 0, most};
  if (m->invariant_count) return 0;
  for (int k = 0; k < m->nx; k++) {
    pthread_mutex_lock(m->lock); // others may extend its graph
    bool given = is_given(m, k);
    pthread_mutex_unlock(m->lock);
    if (given) continue;
    int position = state_of_rate(m, k);
    add_term(&list, (EquationTerm){k, TERM_CONSTANT, 0, rate[k], 1});
    for (int u = 0; u < m->nu; u++) {
      add_term(&list, (EquationTerm){k, TERM_INPUT, u, rate[k], input[u]});
      add_term(&list, (EquationTerm){k, TERM_INPUT_SQUARE, u, rate[k], input[u]});
    }
    add_term(&list, (EquationTerm){k, TERM_STATE, k, rate[k], size[k]});
    add_term(&list, (EquationTerm){k, TERM_STATE_CUBE, k, rate[k], size[k]});
    if (position < 0) continue;
    add_term(&list, (EquationTerm){k, TERM_STATE_SIGN, k, rate[k], size[k]});
    add_term(&list, (EquationTerm){k, TERM_STATE, position, rate[k], size[position]});
    add_term(&list, (EquationTerm){k, TERM_STATE_CUBE, position, rate[k], size[position]});
  }
  return list.count <= most ? list.count : 0;
}

const char *state_name(const Problem *p, int state) {
  return p->model->flat->variables.at[p->model->state[state]].name;
}
const char *input_name(const Problem *p, int input) {
  return p->model->flat->variables.at[p->model->input[input]].name;
}

const char *equation_term_text(Arena *a, const Problem *p, const EquationTerm *t) {
  switch (t->kind) {
  case TERM_CONSTANT: return "a constant";
  case TERM_INPUT: return input_name(p, t->of);
  case TERM_INPUT_SQUARE: return arena_print(a, "%s^2", input_name(p, t->of));
  case TERM_STATE: return state_name(p, t->of);
  case TERM_STATE_CUBE: return arena_print(a, "%s^3", state_name(p, t->of));
  case TERM_STATE_SIGN: return arena_print(a, "sign(%s)", state_name(p, t->of));
  }
  return "";
}

static const double SIGN_WIDTH = 0.05; // of the usual size: a sign without events

static Expr term_expression(Model *m, const EquationTerm *t) {
  Graph *g = m->graph;
  bool of_input = t->kind == TERM_INPUT || t->kind == TERM_INPUT_SQUARE;
  Expr one = expr_const(g, 1);
  if (t->kind == TERM_CONSTANT) return one;
  Expr z = expr_div(g, of_input ? m->u[t->of] : m->x[t->of], expr_const(g, t->of_size));
  Expr square = expr_mul(g, z, z), width = expr_const(g, SIGN_WIDTH * SIGN_WIDTH);
  switch (t->kind) {
  case TERM_INPUT_SQUARE: return square;
  case TERM_STATE_CUBE: return expr_mul(g, z, square);
  case TERM_STATE_SIGN: return expr_div(g, z, expr_call(g, OP_SQRT, expr_add(g, square, width)));
  default: return z;
  }
}

static Model *model_with_terms(Arena *a, Model *m, const EquationTerm *terms, int count) {
  pthread_mutex_lock(m->lock);
  Model *copy = model_copy(m, a);
  copy->f = ARENA_ARRAY(a, Expr, m->nx + 1);
  memcpy(copy->f, m->f, (size_t)m->nx * sizeof *m->f);
  for (int i = 0; i < count; i++) {
    int number = model_add_parameter(copy, "factor", 0);
    Expr size = expr_const(m->graph, terms[i].size);
    Expr factor = expr_mul(m->graph, copy->flat->parameters.at[number].node, size);
    Expr *f = &copy->f[terms[i].state];
    *f = expr_add(m->graph, *f, expr_mul(m->graph, factor, term_expression(m, &terms[i])));
  }
  pthread_mutex_unlock(m->lock);
  return copy;
}

Problem *problem_with_terms(Arena *a, const Problem *p, const EquationTerm *terms, int count) {
  Problem *copy = copy_problem(a, p);
  int n = p->unknown_count, np = p->model->np;
  copy->model = model_with_terms(a, p->model, terms, count);
  copy->unknowns = ARENA_ARRAY(a, Unknown, n + count + 1);
  for (int i = 0; i < n; i++) copy->unknowns[i] = p->unknowns[i];
  for (int i = 0; i < count; i++)
    copy->unknowns[n + i] = (Unknown){.name = "factor",
                                      .unit = "",
                                      .parameter = np + i,
                                      .experiment = -1,
                                      .min = -HUGE_VAL,
                                      .max = HUGE_VAL};
  copy->unknown_count = n + count;
  for (int e = 0; e < p->experiment_count; e++) {
    double *values = ARENA_ARRAY(a, double, np + count + 1);
    for (int k = 0; k < np; k++) values[k] = p->experiments[e].p[k];
    copy->experiments[e].p = values;
  }
  copy->constraints = (ProblemConstraints){0}; // of the unknowns: they hold still
  return copy;
}

// ---------------------------------------------------------------- start values

static int start_of(const Model *m, int state) { // -1: it has none of its own
  const Flat *f = m->flat;
  for (int k = 0; k < m->np && k < f->parameters.count; k++) {
    const Parameter *q = &f->parameters.at[k];
    if (q->is_start && !q->dependent && q->variable == m->state[state]) return k;
  }
  return -1;
}

static bool is_unknown(const Problem *p, int experiment, int parameter) {
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    if (u->parameter == parameter && (u->experiment < 0 || u->experiment == experiment))
      return true;
  }
  return false;
}

int fixed_starts(const Problem *p, FixedStart *starts, int most) {
  int count = 0;
  if (p->model->invariant_count || !problem_simulates(p)) return 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->model->nx && !p->experiments[e].has_restart; k++) {
      int parameter = start_of(p->model, k);
      if (parameter < 0 || is_unknown(p, e, parameter)) continue;
      if (count == most) return 0;
      starts[count++] = (FixedStart){e, k, parameter, p->experiments[e].p[parameter]};
    }
  return count;
}

Problem *problem_with_starts(Arena *a, const Problem *p, const FixedStart *starts, int count) {
  Problem *copy = copy_problem(a, p);
  int n = p->unknown_count;
  copy->unknowns = ARENA_ARRAY(a, Unknown, n + count + 1);
  for (int i = 0; i < n; i++) copy->unknowns[i] = p->unknowns[i];
  for (int i = 0; i < count; i++)
    copy->unknowns[n + i] =
        (Unknown){.name = p->model->flat->parameters.at[starts[i].parameter].name,
                  .unit = "",
                  .parameter = starts[i].parameter,
                  .experiment = starts[i].experiment,
                  .start = starts[i].value,
                  .in_model = starts[i].value,
                  .min = -HUGE_VAL,
                  .max = HUGE_VAL};
  copy->unknown_count = n + count;
  copy->constraints = (ProblemConstraints){0}; // of the unknowns: they hold still
  return copy;
}
