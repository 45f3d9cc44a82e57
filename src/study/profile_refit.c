#include "study/profile_refit.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "search/shooting.h"

struct Refit {
  Arena *arena;
  const Problem *p;      // without the budget
  long simulations_most; // of each refit
  Objective *objective;
  int n, held;
  bool estimates_sigma;
  double *first_sigma; // of the result
  double *sigma;       // of the last evaluation
  double *lower, *upper, *typical;
  LsqPoint *natural, *best;
  bool (*goes_on)(void *);
  void *data;
  long used;     // simulations before this refit
  bool anywhere; // constraints do not matter
  bool stopped;
};

static long simulations(const Refit *r) {
  const FitWork *w = objective_work(r->objective);
  return w->simulations + w->sensitivity_simulations;
}

static bool is_used_up(const Refit *r) {
  return simulations(r) - r->used >= r->simulations_most;
}

static bool keeps_going(void *data) {
  Refit *r = data;
  if (r->goes_on && !r->stopped) r->stopped = !r->goes_on(r->data);
  return !r->stopped && !is_used_up(r);
}

bool refit_used_up(const Refit *r) {
  return !r->stopped && is_used_up(r);
}

static bool has_estimated_sigma(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].sigma_kind == SIGMA_ESTIMATED) return true;
  return false;
}

Refit *refit_new(const Problem *p, const double *sigma, bool (*goes_on)(void *), void *data) {
  Arena *a = arena_new();
  Refit *r = ARENA_NEW(a, Refit);
  int n = p->unknown_count;
  Problem *endless = ARENA_NEW(a, Problem);
  *endless = *p;
  endless->options.max_simulations = INT_MAX;
  *r = (Refit){.arena = a,
               .p = endless,
               .simulations_most = p->options.max_simulations,
               .n = n,
               .goes_on = goes_on,
               .data = data};
  r->objective = objective_new(endless);
  r->estimates_sigma = has_estimated_sigma(p);
  size_t channels = (size_t)objective_channel_count(r->objective);
  r->first_sigma = ARENA_ARRAY(a, double, channels + 1);
  r->sigma = ARENA_ARRAY(a, double, channels + 1);
  if (channels) memcpy(r->first_sigma, sigma, channels * sizeof *sigma);
  r->lower = ARENA_ARRAY(a, double, n + 1);
  r->upper = ARENA_ARRAY(a, double, n + 1);
  r->typical = ARENA_ARRAY(a, double, n + 1);
  r->natural = lsq_point_new(a, n);
  r->best = lsq_point_new(a, n);
  objective_set_lambda(r->objective, 0);
  objective_set_horizon(r->objective, 1);
  objective_set_quick(r->objective, false);
  objective_listen(r->objective, keeps_going, r);
  return r;
}

void refit_free(Refit *r) {
  if (!r) return;
  objective_free(r->objective);
  arena_free(r->arena);
}

const FitWork *refit_work(const Refit *r) {
  return objective_work(r->objective);
}

double refit_accuracy(Refit *r, double objective) {
  double floor = objective_accuracy(r->objective);
  return 2 * sqrt(fabs(objective) * floor) + floor;
}

// ---------------------------------------------------------------- the others

static bool in_logs(const Refit *r, int i) {
  return r->p->unknowns[i].log && i != r->held;
}

static void to_natural(const Refit *r, const double *y, double *x) {
  for (int i = 0; i < r->n; i++) {
    const Unknown *f = &r->p->unknowns[i];
    x[i] = in_logs(r, i) ? fmin(fmax(exp(y[i]), f->min), f->max) : y[i];
  }
}

static LsqEnd eval_scaled(void *self, LsqPoint *out, double worth, bool slopes) {
  Refit *r = self;
  LsqPoint *at = r->natural;
  int n = r->n;
  to_natural(r, out->x, at->x);
  LsqEnd end = objective_eval(r->objective, at, worth, slopes);
  out->objective = at->objective;
  out->has_slopes = at->has_slopes;
  if (!out->has_slopes) return end;
  memcpy(out->Qr, at->Qr, (size_t)n * sizeof *out->Qr);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out->R[i * n + j] = at->R[i * n + j] * (in_logs(r, j) ? at->x[j] : 1);
  return end;
}

static void set_bounds(Refit *r, const double *x) {
  for (int i = 0; i < r->n; i++) {
    const Unknown *f = &r->p->unknowns[i];
    bool log_scale = in_logs(r, i);
    r->lower[i] = i == r->held ? x[i] : log_scale ? log(f->min) : f->min;
    r->upper[i] = i == r->held ? x[i] : log_scale ? log(f->max) : f->max;
    r->typical[i] = log_scale ? 1 : x[i] != 0 ? fabs(x[i]) : f->start != 0 ? fabs(f->start) : 1;
  }
}

static void scaled_constraints(void *self, const double *y, double *c, double *C) {
  Refit *r = self;
  const ProblemConstraints *all = &r->p->constraints;
  double *x = r->natural->x;
  to_natural(r, y, x);
  problem_constraints(r->p, x, c, C);
  for (int k = 0; C && k < all->equalities + all->inequalities; k++)
    for (int j = 0; j < r->n; j++)
      if (in_logs(r, j)) C[k * r->n + j] *= x[j];
}

static LocalEnd search_others(Refit *r, double *x, double *objective) {
  const FitOptions *o = &r->p->options;
  set_bounds(r, x);
  Lsq lsq = {.n = r->n,
             .lower = r->lower,
             .upper = r->upper,
             .typical = r->typical,
             .noise = objective_accuracy(r->objective),
             .self = r,
             .eval = eval_scaled,
             .equalities = r->p->constraints.equalities,
             .inequalities = r->p->constraints.inequalities,
             .constraints = scaled_constraints};
  LocalOptions options = {.max_iterations = o->max_iterations,
                          .step_tol = o->step_tol,
                          .gradient_tol = o->gradient_tol,
                          .reduction_tol = o->reduction_tol,
                          .step_factor = 1,
                          .target = -1,
                          .fit = o};
  LocalResult result = {.best = r->best};
  for (int i = 0; i < r->n; i++) r->best->x[i] = in_logs(r, i) ? log(x[i]) : x[i];
  (r->p->constraints.count ? local_sqp : local_trust_region)(&lsq, &options, &result);
  to_natural(r, r->best->x, x);
  *objective = r->best->objective;
  objective_count(r->objective)->iterations += result.iterations;
  return result.end;
}

static bool is_allowed(const Problem *p, const double *x) {
  for (int k = 0; k < p->constraints.count; k++)
    if (constraint_state(p, k, x) == CONSTRAINT_VIOLATED) return false;
  return true;
}

static LocalEnd evaluate(Refit *r, const double *x, double *objective) {
  LsqPoint *at = r->natural;
  if (!r->anywhere && !is_allowed(r->p, x)) return LOCAL_INFEASIBLE_END;
  memcpy(at->x, x, (size_t)r->n * sizeof *x);
  // As searches do, whose simulations have other steps because of the slopes.
  LsqEnd end = objective_eval(r->objective, at, HUGE_VAL, r->n > 1);
  *objective = at->objective;
  if (end == LSQ_STOP) return LOCAL_STOPPED_END;
  return end == LSQ_DONE ? LOCAL_STEP_END : LOCAL_NO_START_END;
}

// ---------------------------------------------------------------- sigma that is found together with the numbers

enum { SIGMA_ROUNDS = 30 };
static const double SIGMA_TOL = 1e-6;

// What the objective counts the samples of a channel as.
static double weight_of_samples(const Problem *p, const Channel *c) {
  bool integral = p->options.criterion == CRITERION_INTEGRAL && c->count > 0;
  return c->weight * (integral ? c->t[c->count - 1] - c->t[0] : c->count);
}

// What the objective leaves out when channels are weighted by their own residuals.
static double log_sigmas(const Refit *r) {
  double sum = 0;
  for (int e = 0; e < r->p->experiment_count; e++)
    for (int c = 0; c < r->p->experiments[e].channel_count; c++) {
      const Channel *channel = &r->p->experiments[e].channels[c];
      if (channel->sigma_kind != SIGMA_ESTIMATED) continue;
      int at = objective_channel(r->objective, e, c);
      double least = fit_least_sigma(r->p, channel);
      sum += weight_of_samples(r->p, channel) *
             log(fmax(r->sigma[at], least) / fmax(r->first_sigma[at], least));
    }
  return sum;
}

static void keep_sigma(Refit *r) {
  size_t channels = (size_t)objective_channel_count(r->objective);
  if (channels) memcpy(r->sigma, objective_sigma(r->objective), channels * sizeof *r->sigma);
}

typedef LocalEnd Step(Refit *r, double *x, double *objective);

static LocalEnd evaluate_step(Refit *r, double *x, double *objective) {
  return evaluate(r, x, objective);
}

static bool has_value(LocalEnd end) {
  return end != LOCAL_STOPPED_END && end != LOCAL_NO_START_END && end != LOCAL_INFEASIBLE_END;
}

// Numbers and sigmas in turn: each turn lowers the concentrated likelihood, and where they stand still it is at a minimum.
static LocalEnd settle(Refit *r, Step *step, double *x, double *objective) {
  r->used = simulations(r);
  objective_set_sigma(r->objective, r->first_sigma);
  for (int round = 0; round < SIGMA_ROUNDS; round++) {
    keep_sigma(r);
    LocalEnd end = step(r, x, objective);
    if (!has_value(end)) return end;
    if (!r->estimates_sigma || result_update_sigma(r->p, r->objective, NULL, x) < SIGMA_TOL) {
      *objective += log_sigmas(r);
      return end;
    }
  }
  *objective += log_sigmas(r);
  return LOCAL_ITERATIONS_END;
}

LocalEnd refit_run(Refit *r, int held, double *x, double *objective) {
  r->held = held;
  bool alone = held >= 0 && r->n == 1;
  return settle(r, alone ? evaluate_step : search_others, x, objective);
}

bool refit_value(Refit *r, const double *x, double *objective) {
  r->held = -1;
  double *copy = r->best->x;
  memcpy(copy, x, (size_t)r->n * sizeof *x);
  return has_value(settle(r, evaluate_step, copy, objective));
}

bool refit_value_anywhere(Refit *r, const double *x, double *objective) {
  r->anywhere = true;
  bool ok = refit_value(r, x, objective);
  r->anywhere = false;
  return ok;
}
