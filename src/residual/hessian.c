#include "residual/hessian.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "model/extend.h"
#include "residual/hessian_parts.h"

// Numbers of a simulation with sensitivities of first order from which the adjoint way is faster, see bench/hessian.c.
enum { ADJOINT_LEAST = 36 };
static const double ROOM_MOST =
    5e7; // doubles that a way may need before the other one is looked at

// ---------------------------------------------------------------- set-up

static int position_of(const int *list, int count, int value) {
  for (int i = 0; i < count; i++)
    if (list[i] == value) return i;
  return -1;
}

static void map_numbers(Hessian *h) {
  const Problem *p = h->problem;
  h->parameters = ARENA_ARRAY(h->arena, int, h->n + 1);
  h->count = problem_unknown_parameters(p, h->parameters);
  h->position = ARENA_ARRAY(h->arena, int *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    h->position[e] = ARENA_ARRAY(h->arena, int, h->n + 1);
    for (int i = 0; i < h->n; i++) {
      bool here = p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == e;
      h->position[e][i] =
          here ? position_of(h->parameters, h->count, p->unknowns[i].parameter) : -1;
    }
  }
}

static void make_room(Hessian *h) {
  const Problem *p = h->problem;
  Arena *a = h->arena;
  h->plans = ARENA_ARRAY(a, Plan *, p->experiment_count + 1);
  h->weight = ARENA_ARRAY(a, double **, p->experiment_count + 1);
  h->delayed = ARENA_ARRAY(a, bool, p->measured_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    h->plans[e] = plan_new(a, x);
    h->weight[e] = ARENA_ARRAY(a, double *, x->channel_count + 1);
    for (int c = 0; c < x->channel_count; c++) {
      h->weight[e][c] = ARENA_ARRAY(a, double, x->channels[c].count + 1);
      if (position_of(h->parameters, h->count, x->channels[c].delay) >= 0)
        h->delayed[p->channel_measured[e][c]] = true;
    }
  }
  h->p = ARENA_ARRAY(a, double, p->model->np + 1);
  h->size = ARENA_ARRAY(a, double, h->count + 1);
  h->sum = ARENA_ARRAY(a, double, (size_t)h->count *(size_t)h->count + 1);
}

// The curvature of a spline is not among what a model knows of its inputs.
static bool contains_input(Hessian *h, int measured) {
  Model *m = h->problem->model;
  pthread_mutex_lock(m->lock);
  Arena *scratch = arena_new();
  const Expr *du = model_helpers(m, HELPER_INPUT_SLOPE, m->nu);
  Expr rate;
  model_rates(m, m, &h->problem->measured[measured], 1, &rate);
  bool contains = m->nu && expr_dependents(m->graph, scratch, du, m->nu)[rate];
  arena_free(scratch);
  pthread_mutex_unlock(m->lock);
  return contains;
}

static bool has_spline(const Hessian *h) {
  const Problem *p = h->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int i = 0; i < p->model->nu; i++)
      if (input_kind(p->experiments[e].inputs[i]) == INPUT_SPLINE) return true;
  return false;
}

static bool refuse_spline(Hessian *h, int measured) {
  snprintf(h->why, sizeof h->why,
           "second derivatives by the delay of '%s' cannot be computed: it contains an input, and "
           "inputs are "
           "interpolated by splines here; linear and hold are possible",
           h->problem->measured_name[measured]);
  return false;
}

static bool look_for_obstacles(Hessian *h) {
  for (int k = 0; k < h->problem->measured_count; k++)
    if (h->delayed[k] && has_spline(h) && contains_input(h, k)) return refuse_spline(h, k);
  return true;
}

Hessian *hessian_new(Objective *o, HessianWay way) {
  Arena *a = arena_new();
  Hessian *h = ARENA_NEW(a, Hessian);
  h->arena = a;
  h->objective = o;
  h->problem = objective_problem(o);
  h->n = h->problem->unknown_count;
  map_numbers(h);
  make_room(h);
  h->way = way;
  h->exists = look_for_obstacles(h);
  h->kinks = kinks_new(h->problem->model, h->parameters, h->count, second_code(h));
  return h;
}

void hessian_free(Hessian *h) {
  if (!h) return;
  forward_free(h->forward);
  adjoint_free(h->adjoint);
  kinks_free(h->kinks);
  arena_free(h->arena);
}

bool hessian_exists(const Hessian *h) {
  return h->exists;
}
const char *hessian_why(const Hessian *h) {
  return h->why;
}

// ---------------------------------------------------------------- for both ways

// Explicit methods need no Jacobian of second order, which takes long to compile. Constraints of sensitivities hold by the
// stabilising terms that they inherit; nothing projects them.
SimulateOptions second_options(const Hessian *h) {
  SimulateOptions options = h->problem->simulate;
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&options, "solver", word);
  Err err = {0};
  options_set(&SIMULATE_OPTIONS, &options, "index", "stabilise", &err);
  if (strcmp(word, "auto") == 0 && !h->stiff)
    options_set(&SIMULATE_OPTIONS, &options, "solver", options.rel_tol > 1e-4 ? "rk5" : "rk8",
                &err);
  return options;
}

CodeChoice second_code(const Hessian *h) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&h->problem->simulate, "jit", word);
  return strcmp(word, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO;
}

bool second_holds(Hessian *h, const Trajectory *t) {
  h->ended_early = t->outcome != OUTCOME_REACHED_END;
  if (!h->ended_early) return kinks_passed(h->kinks, t, h->why);
  snprintf(h->why, sizeof h->why, "of second order: %.680s", t->message);
  return false;
}

void second_work(Hessian *h, const StepCount *work, int simulations) {
  FitWork *sum = objective_count(h->objective);
  sum->sensitivity_simulations += simulations;
  sum->rhs += work->rhs;
  sum->steps += work->steps;
  sum->rejected += work->rejected;
}

int second_delay(const Hessian *h, int experiment, int channel, int sample) {
  const Experiment *x = &h->problem->experiments[experiment];
  const Channel *c = &x->channels[channel];
  if (c->delay < 0 || !(c->t[sample] - h->p[c->delay] > x->start)) return -1;
  return position_of(h->parameters, h->count, c->delay);
}

void second_add_delay(Hessian *h, int d, double weight, const double *rate_slope,
                      double curvature) {
  for (int k = 0; k < h->count; k++)
    second_add(h, k, d, -weight * rate_slope[k] * (k == d ? 2 : 1));
  second_add(h, d, d, weight * curvature);
}

// ---------------------------------------------------------------- what first derivatives give

typedef struct First {
  Hessian *h;
  double value, *gradient, *H;
} First;

static void add_products(First *f, const ResidualBlock *b, int j) {
  int n = f->h->n;
  for (int i = 0; i < n; i++) {
    double slope = b->column[i][j];
    if (slope == 0) continue;
    double *row = f->H + (size_t)i * (size_t)n;
    for (int k = i; k < n; k++) row[k] += slope * b->column[k][j];
  }
}

// The Huber loss is straight beyond its limit: there it has a slope but no curvature of its own.
static void add_row(First *f, const ResidualBlock *b, int j, double limit) {
  int n = f->h->n;
  double r = b->column[n][j], size = fabs(r), pull = r;
  if (size > limit) {
    pull = copysign(limit, r);
    f->value += limit * (size - limit / 2);
  } else {
    f->value += r * r / 2;
    add_products(f, b, j);
  }
  for (int i = 0; i < n; i++) f->gradient[i] += pull * b->column[i][j];
  f->h->weight[b->experiment][b->channel][b->first + j] = pull * b->scale[j];
}

static void add_block(void *data, const ResidualBlock *b) {
  First *f = data;
  double huber = objective_huber(f->h->objective, b->experiment, b->channel);
  for (int j = 0; j < b->rows; j++)
    add_row(f, b, j, huber < HUGE_VAL ? huber * b->scale[j] : HUGE_VAL);
}

static void add_priors(First *f, const double *x) {
  int n = f->h->n;
  for (int i = 0; i < n; i++) {
    const Unknown *number = &f->h->problem->unknowns[i];
    if (!number->has_prior) continue;
    double r = (x[i] - number->prior_mean) / number->prior_sd;
    f->value += r * r / 2;
    f->gradient[i] += r / number->prior_sd;
    f->H[i * n + i] += 1 / (number->prior_sd * number->prior_sd);
  }
}

static void take_sizes(Hessian *h, const double *H) {
  memset(h->size, 0, (size_t)h->count * sizeof *h->size);
  for (int e = 0; e < h->problem->experiment_count; e++)
    for (int i = 0; i < h->n; i++) {
      int k = h->position[e][i];
      if (k >= 0) h->size[k] = fmax(h->size[k], sqrt(H[i * h->n + i]));
    }
}

static bool is_stiff(const Hessian *h) {
  char name[48];
  long steps, rejected;
  objective_solver(h->objective, name, &steps, &rejected);
  return strstr(name, "rosenbrock") || strstr(name, "bdf");
}

static bool first_derivatives(Hessian *h, const double *x, First *f) {
  f->value = 0;
  memset(f->gradient, 0, (size_t)h->n * sizeof(double));
  memset(f->H, 0, (size_t)h->n * (size_t)h->n * sizeof(double));
  if (!objective_rows(h->objective, x, add_block, f, h->why)) return false;
  take_sizes(h, f->H);
  add_priors(f, x);
  h->stiff |= is_stiff(h);
  return true;
}

// ---------------------------------------------------------------- what second derivatives add

static bool is_weighed(const Hessian *h, int e) {
  const Experiment *x = &h->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++)
    for (int i = 0; i < x->channels[c].count; i++)
      if (h->weight[e][c][i] != 0) return true;
  return false;
}

static void set_parameters(Hessian *h, int e, const double *x) {
  const Problem *p = h->problem;
  const Experiment *experiment = &p->experiments[e];
  memcpy(h->p, experiment->p, (size_t)p->model->np * sizeof *h->p);
  for (int i = 0; i < h->n; i++)
    if (h->position[e][i] >= 0) h->p[p->unknowns[i].parameter] = x[i];
  if (h->plans[e]->delayed) plan_update(h->plans[e], experiment, h->p);
}

static void take_sum(const Hessian *h, int e, double *H) {
  const int *at = h->position[e];
  for (int i = 0; i < h->n; i++)
    for (int j = i; j < h->n && at[i] >= 0; j++) {
      if (at[j] < 0) continue;
      int k = at[i] <= at[j] ? at[i] : at[j], l = at[i] <= at[j] ? at[j] : at[i];
      H[i * h->n + j] += h->sum[k * h->count + l];
    }
}

// Forward keeps the second derivatives of all rows, the adjoint way a polynomial for each step.
static HessianWay choose_way(const Hessian *h) {
  char name[48];
  long steps, rejected;
  objective_solver(h->objective, name, &steps, &rejected);
  double numbers = h->problem->model->nx * (1. + h->count), rows = 0;
  for (int e = 0; e < h->problem->experiment_count; e++) rows = fmax(rows, h->plans[e]->count);
  double forward_room = rows * h->problem->measured_count * h->count * h->count;
  double adjoint_room = 8. * (double)steps * numbers;
  bool adjoint = numbers >= ADJOINT_LEAST;
  if ((adjoint ? adjoint_room : forward_room) > ROOM_MOST) adjoint = adjoint_room < forward_room;
  return adjoint ? HESSIAN_ADJOINT : HESSIAN_FORWARD;
}

static bool sum_of_second_order(Hessian *h, int e) {
  memset(h->sum, 0, (size_t)h->count * (size_t)h->count * sizeof *h->sum);
  return h->way == HESSIAN_ADJOINT ? adjoint_sum(h, e) : forward_sum(h, e);
}

// What an explicit method cannot follow may be stiff in this experiment only.
static bool sum_or_try_again(Hessian *h, int e) {
  if (sum_of_second_order(h, e)) return true;
  if (!h->ended_early || h->stiff) return false;
  h->stiff = true;
  return sum_of_second_order(h, e);
}

static LsqEnd second_derivatives(Hessian *h, const double *x, double *H) {
  if (h->way == HESSIAN_AUTO) h->way = choose_way(h);
  for (int e = 0; e < h->problem->experiment_count; e++) {
    if (!is_weighed(h, e)) continue;
    if (objective_is_over(h->objective)) return LSQ_STOP;
    set_parameters(h, e, x);
    if (!sum_or_try_again(h, e)) return LSQ_FAILED;
    take_sum(h, e, H);
  }
  return LSQ_DONE;
}

static bool is_finite(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * 0;
  return sum == 0;
}

static LsqEnd evaluate(Hessian *h, const double *x, First *f) {
  if (!h->exists) return LSQ_FAILED;
  if (objective_is_over(h->objective)) return LSQ_STOP;
  if (!first_derivatives(h, x, f)) return LSQ_FAILED;
  LsqEnd end = h->count ? second_derivatives(h, x, f->H) : LSQ_DONE;
  if (end != LSQ_DONE) return end;
  for (int i = 0; i < h->n; i++)
    for (int j = 0; j < i; j++) f->H[i * h->n + j] = f->H[j * h->n + i];
  if (isfinite(f->value) && is_finite(f->gradient, h->n) && is_finite(f->H, h->n * h->n))
    return LSQ_DONE;
  snprintf(h->why, sizeof h->why, "numbers became too large");
  return LSQ_FAILED;
}

LsqEnd hessian_eval(Hessian *h, const double *x, double *value, double *gradient, double *H) {
  First f = {.h = h, .gradient = gradient, .H = H};
  double begin = clock_seconds();
  LsqEnd end = evaluate(h, x, &f);
  objective_count(h->objective)->seconds += clock_seconds() - begin;
  *value = end == LSQ_DONE ? f.value : HUGE_VAL;
  return end;
}
