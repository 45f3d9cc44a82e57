// H = sum of r_p' r_p + r r_pp + priors. First derivatives come from the rows of an evaluation; the sum of r r_pp forward
// (hessian_forward.h) or by the adjoint (hessian_adjoint.h), whichever integrates less.
#include "residual/hessian.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "model/model.h"
#include "residual/hessian_adjoint.h"
#include "residual/hessian_forward.h"

// Numbers of a simulation with sensitivities of first order from which the adjoint way is faster, see bench/hessian.c.
enum { ADJOINT_LEAST = 36 };
static const double ROOM_MOST =
    5e7; // doubles that a way may need before the other one is considered

struct Hessian {
  Arena *arena;
  const Fitting *fitting;
  SecondOrder *second;
  ForwardWay *forward;
  AdjointWay *adjoint;
  HessianWay way; // AUTO until the first evaluation
  bool exists;
};

// ---------------------------------------------------------------- set-up

// The curvature of a spline is not among what a model knows of its inputs.
static bool contains_input(SecondOrder *h, int measured) {
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

static bool has_spline(const SecondOrder *h) {
  const Problem *p = h->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int i = 0; i < p->model->nu; i++)
      if (input_kind(p->experiments[e].inputs[i]) == INPUT_SPLINE) return true;
  return false;
}

static bool refuse_spline(SecondOrder *h, int measured) {
  c_snprintf(
      h->why, sizeof h->why,
      "second derivatives by the delay of '%s' cannot be computed: it contains an input, and "
      "inputs are "
      "interpolated by splines here; linear and hold are possible",
      h->problem->measured_name[measured]);
  return false;
}

// Expressions of second derivatives, one for each state and pair of parameters: with more than this many the graph takes
// gigabytes, and minutes in which nothing can stop it.
static const double EXPRESSIONS_MOST = 5e5;

static bool refuse_size(SecondOrder *h, double expressions) {
  c_snprintf(
      h->why, sizeof h->why,
      "second derivatives of %d states by %d parameters would be %.2g expressions, more than "
      "the %.2g that are made; lm, gauss-newton and sqp need none",
      h->problem->model->nx, h->count, expressions, EXPRESSIONS_MOST);
  return false;
}

static bool refuse_kind(SecondOrder *h) {
  c_snprintf(h->why, sizeof h->why,
             "second derivatives are those of simulations, not of residual: %s",
             residual_word(h->problem));
  return false;
}

static bool look_for_obstacles(SecondOrder *h) {
  double expressions = h->problem->model->nx * (h->count * (h->count + 1.) / 2);
  if (expressions > EXPRESSIONS_MOST) return refuse_size(h, expressions);
  if (!problem_simulates(h->problem)) return refuse_kind(h);
  for (int k = 0; k < h->problem->measured_count; k++)
    if (h->delayed[k] && has_spline(h) && contains_input(h, k)) return refuse_spline(h, k);
  return true;
}

Hessian *hessian_new(const Fitting *f, HessianWay way) {
  Arena *a = arena_new();
  Hessian *h = ARENA_NEW(a, Hessian);
  h->arena = a;
  h->fitting = f;
  h->second = second_order_new(a, f->problem);
  h->way = way;
  h->exists = look_for_obstacles(h->second);
  return h;
}

void hessian_free(Hessian *h) {
  if (!h) return;
  forward_free(h->forward);
  adjoint_free(h->adjoint);
  second_order_done(h->second);
  arena_free(h->arena);
}

bool hessian_exists(const Hessian *h) {
  return h->exists;
}
const char *hessian_why(const Hessian *h) {
  return h->second->why;
}

// ---------------------------------------------------------------- what first derivatives give

typedef struct FirstSum {
  SecondOrder *s;
  const Weighting *weighting;
  double value, *gradient, *H;
} FirstSum;

static void add_products(FirstSum *f, const ResidualBlock *b, int j) {
  int n = f->s->n;
  for (int i = 0; i < n; i++) {
    double slope = b->column[i][j];
    if (slope == 0) continue;
    double *row = f->H + (size_t)i * (size_t)n;
    for (int k = i; k < n; k++) row[k] += slope * b->column[k][j];
  }
}

// The Huber loss is straight beyond its limit: there it has a slope but no curvature of its own.
static void add_row(FirstSum *f, const ResidualBlock *b, int j, double limit) {
  int n = f->s->n;
  double r = b->column[n][j], size = fabs(r), pull = r;
  if (size > limit) {
    pull = copysign(limit, r);
    f->value += limit * (size - limit / 2);
  } else {
    f->value += r * r / 2;
    add_products(f, b, j);
  }
  for (int i = 0; i < n; i++) f->gradient[i] += pull * b->column[i][j];
  f->s->weight[b->experiment][b->channel][b->first + j] = pull * b->scale[j];
}

static void add_block(void *data, const ResidualBlock *b) {
  FirstSum *f = data;
  double huber =
      f->weighting->channels[channel_number(f->weighting->data, b->experiment, b->channel)].huber;
  for (int j = 0; j < b->rows; j++)
    add_row(f, b, j, huber < HUGE_VAL ? huber * b->scale[j] : HUGE_VAL);
}

static void add_priors(FirstSum *f, const double *x) {
  int n = f->s->n;
  for (int i = 0; i < n; i++) {
    const Unknown *number = &f->s->problem->unknowns[i];
    if (!number->has_prior) continue;
    double r = (x[i] - number->prior_mean) / number->prior_sd;
    f->value += r * r / 2;
    f->gradient[i] += r / number->prior_sd;
    f->H[i * n + i] += 1 / (number->prior_sd * number->prior_sd);
  }
}

static bool is_stiff(const EvalWork *w) {
  char name[48];
  long steps, rejected;
  eval_solver(w, name, &steps, &rejected);
  return strstr(name, "rosenbrock") || strstr(name, "bdf");
}

static bool first_derivatives(SecondOrder *s, EvalWork *w, const EvalSpec *spec, const double *x,
                              FirstSum *f) {
  if (!evaluate_rows(w, spec, x, add_block, f)) {
    c_snprintf(s->why, sizeof s->why, "%s", eval_why(w));
    return false;
  }
  add_priors(f, x);
  s->stiff |= is_stiff(w);
  return true;
}

// ---------------------------------------------------------------- what second derivatives add

static bool is_weighed(const SecondOrder *h, int e) {
  const Experiment *x = &h->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++)
    for (int i = 0; i < x->channels[c].count; i++)
      if (h->weight[e][c][i] != 0) return true;
  return false;
}

static void take_sum(const SecondOrder *h, int e, double *H) {
  const int *at = h->position[e];
  for (int i = 0; i < h->n; i++)
    for (int j = i; j < h->n && at[i] >= 0; j++) {
      if (at[j] < 0) continue;
      int k = at[i] <= at[j] ? at[i] : at[j], l = at[i] <= at[j] ? at[j] : at[i];
      H[i * h->n + j] += h->sum[k * h->count + l];
    }
}

// Forward keeps the second derivatives of all rows, the adjoint way a polynomial for each step.
static HessianWay choose_way(const SecondOrder *s, const EvalWork *w) {
  char name[48];
  long steps, rejected;
  eval_solver(w, name, &steps, &rejected);
  double numbers = s->problem->model->nx * (1. + s->count), rows = 0;
  for (int e = 0; e < s->problem->experiment_count; e++) rows = fmax(rows, s->times[e]->count);
  double forward_room = rows * s->problem->measured_count * s->count * s->count;
  double adjoint_room = 8. * (double)steps * numbers;
  bool adjoint = numbers >= ADJOINT_LEAST;
  if ((adjoint ? adjoint_room : forward_room) > ROOM_MOST) adjoint = adjoint_room < forward_room;
  return adjoint ? HESSIAN_ADJOINT : HESSIAN_FORWARD;
}

static bool sum_of_second_order(Hessian *h, int e) {
  SecondOrder *s = h->second;
  memset(s->sum, 0, (size_t)s->count * (size_t)s->count * sizeof *s->sum);
  if (h->way == HESSIAN_ADJOINT) {
    AdjointEnd end = adjoint_sum(&h->adjoint, s, e);
    if (end != ADJOINT_USE_FORWARD) return end == ADJOINT_DONE;
  }
  return forward_sum(&h->forward, s, e);
}

// What an explicit method cannot follow may be stiff in this experiment only.
static bool sum_or_try_again(Hessian *h, int e) {
  if (sum_of_second_order(h, e)) return true;
  if (!h->second->ended_early || h->second->stiff) return false;
  h->second->stiff = true;
  return sum_of_second_order(h, e);
}

static EvalEnd second_derivatives(Hessian *h, const EvalWork *w, const EvalSpec *spec,
                                  const double *x, double *H) {
  SecondOrder *s = h->second;
  if (h->way == HESSIAN_AUTO) h->way = choose_way(s, w);
  for (int e = 0; e < s->problem->experiment_count; e++) {
    if (!is_weighed(s, e)) continue;
    if (!budget_allows(spec->budget, 1)) return EVAL_STOPPED;
    second_set_parameters(s, e, x);
    if (!sum_or_try_again(h, e)) return EVAL_FAILED;
    take_sum(s, e, H);
  }
  return EVAL_DONE;
}

static bool is_finite(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * 0;
  return sum == 0;
}

static EvalEnd evaluate_all(Hessian *h, EvalWork *w, const EvalSpec *spec, const double *x,
                            FirstSum *f) {
  SecondOrder *s = h->second;
  int n = s->n;
  if (!h->exists) return EVAL_FAILED;
  if (!budget_allows(spec->budget, s->problem->experiment_count)) return EVAL_STOPPED;
  if (!first_derivatives(s, w, spec, x, f)) return EVAL_FAILED;
  EvalEnd end = s->count ? second_derivatives(h, w, spec, x, f->H) : EVAL_DONE;
  if (end != EVAL_DONE) return end;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) f->H[i * n + j] = f->H[j * n + i];
  if (isfinite(f->value) && is_finite(f->gradient, n) && is_finite(f->H, n * n)) return EVAL_DONE;
  c_snprintf(s->why, sizeof s->why, "numbers became too large");
  return EVAL_FAILED;
}

EvalEnd hessian_eval(Hessian *h, EvalWork *w, const EvalSpec *spec, const double *x, double *value,
                     double *gradient, double *H) {
  size_t n = (size_t)h->second->n;
  EvalSpec full = *spec;
  full.lambda = 0, full.horizon = 1, full.quick = false, full.slopes = true;
  full.abandon_above = HUGE_VAL;
  FirstSum f = {.s = h->second, .weighting = spec->weighting, .gradient = gradient, .H = H};
  memset(gradient, 0, n * sizeof *gradient);
  memset(H, 0, n * n * sizeof *H);
  h->second->budget = spec->budget;
  double begin = patience_clock();
  EvalEnd end = evaluate_all(h, w, &full, x, &f);
  if (spec->budget) spec->budget->used.seconds += patience_clock() - begin;
  *value = end == EVAL_DONE ? f.value : HUGE_VAL;
  return end;
}
