#include "study/profile_refit.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "search/fit_result.h"
#include "search/local_search.h"
#include "search/method_options.h"
#include "search/result_rows.h"

struct Refit {
  Arena *arena;
  const Problem *p;
  const Fitting *fitting;
  EvalWork *work;
  Budget budget;         // of all refits, and of each of them its own limit
  long limit;            // of the simulations of all refits, see refit_limit
  bool over;             // it was reached
  long simulations_most; // of each refit
  long longest;          // steps of the integrator in a successful evaluation, see eval_step_limit
  int n, held;
  const bool *also_held; // by unknown; NULL: none
  bool estimates_sigma;
  Weighting *first_weighting; // of the result
  Weighting *weighting;       // of the last evaluation
  double *lower, *upper, *typical;
  LsqPoint *natural, *best;
  bool used_up; // the last refit was ended by simulations_most
};

void refit_hold(Refit *r, const bool *also) {
  r->also_held = also;
}

bool refit_used_up(const Refit *r) {
  return r->used_up;
}

Refit *refit_new(const Fitting *f, int threads, const double *sigma) {
  Arena *a = arena_new();
  Refit *r = ARENA_NEW(a, Refit);
  int n = f->n;
  *r = (Refit){.arena = a,
               .p = f->problem,
               .fitting = f,
               .work = eval_work_new(f, threads, NULL),
               .limit = LONG_MAX,
               .simulations_most = problem_max_simulations(f->problem),
               .n = n,
               .estimates_sigma = noise_is_estimated(f->problem),
               .first_weighting = weighting_new(f->data, sigma)};
  r->lower = ARENA_ARRAY(a, double, n + 1);
  r->upper = ARENA_ARRAY(a, double, n + 1);
  r->typical = ARENA_ARRAY(a, double, n + 1);
  r->natural = lsq_point_new(a, n);
  r->best = lsq_point_new(a, n);
  return r;
}

void refit_free(Refit *r) {
  if (!r) return;
  weighting_free(r->weighting);
  weighting_free(r->first_weighting);
  eval_work_free(r->work);
  arena_free(r->arena);
}

const WorkCount *refit_work(const Refit *r) {
  return &r->budget.used;
}

void refit_limit(Refit *r, long simulations) {
  if (simulations < LONG_MAX) r->limit = work_count_simulations(&r->budget.used) + simulations;
}

bool refit_is_over(const Refit *r) {
  return r->over;
}

static const Weighting *weighting_of(const Refit *r) {
  return r->weighting ? r->weighting : r->first_weighting;
}

double refit_accuracy(Refit *r, double objective) {
  double floor = accuracy_objective(r->fitting, weighting_of(r), false, 1);
  return 2 * sqrt(fabs(objective) * floor) + floor;
}

static EvalSpec spec_of(Refit *r) {
  EvalSpec spec = eval_spec(r->fitting, &r->budget);
  spec.weighting = weighting_of(r);
  spec.step_limit = eval_step_limit(r->fitting, r->longest);
  return spec;
}

static LsqEnd eval_natural(Refit *r, LsqPoint *at, double abandon_above, bool slopes) {
  EvalSpec spec = spec_of(r);
  EvalPoint out = {.R = at->R, .Qr = at->Qr};
  spec.abandon_above = abandon_above;
  spec.slopes = slopes;
  EvalEnd end = evaluate(r->work, &spec, at->x, &out);
  if (end == EVAL_DONE && out.steps > r->longest) r->longest = out.steps;
  at->objective = out.objective;
  at->has_slopes = out.has_slopes;
  return local_search_end(end);
}

// ---------------------------------------------------------------- the others

static bool is_held(const Refit *r, int i) {
  return i == r->held || (r->also_held && r->also_held[i]);
}

static bool in_logs(const Refit *r, int i) {
  return r->p->unknowns[i].log && !is_held(r, i);
}

static void to_natural(const Refit *r, const double *y, double *x) {
  for (int i = 0; i < r->n; i++) {
    const Unknown *f = &r->p->unknowns[i];
    x[i] = in_logs(r, i) ? fmin(fmax(exp(y[i]), f->min), f->max) : y[i];
  }
}

static LsqEnd eval_scaled(void *self, LsqPoint *out, double abandon_above, bool slopes) {
  Refit *r = self;
  LsqPoint *at = r->natural;
  int n = r->n;
  to_natural(r, out->x, at->x);
  LsqEnd end = eval_natural(r, at, abandon_above, slopes);
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
    r->lower[i] = is_held(r, i) ? x[i] : log_scale ? log(f->min) : f->min;
    r->upper[i] = is_held(r, i) ? x[i] : log_scale ? log(f->max) : f->max;
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
             .noise = accuracy_objective(r->fitting, weighting_of(r), false, 1),
             .self = r,
             .eval = eval_scaled,
             .equalities = r->p->constraints.equalities,
             .inequalities = r->p->constraints.inequalities,
             .constraints = scaled_constraints};
  PopulationOptions population;
  LocalOptions options = method_options(o, &population);
  options.lm_damping =
      LM_DAMPING_RADIUS; // the one that finds the minimum best, whatever the fit used
  LocalResult result = {.best = r->best};
  for (int i = 0; i < r->n; i++) r->best->x[i] = in_logs(r, i) ? log(x[i]) : x[i];
  (r->p->constraints.count ? local_sqp : local_lm)(&lsq, &options, &result);
  to_natural(r, r->best->x, x);
  *objective = r->best->objective;
  r->budget.used.iterations += result.iterations;
  bool cut_short = !patience_lasts(0) && local_end_converged(result.end);
  return cut_short ? LOCAL_STOPPED_END : result.end;
}

static bool is_allowed(const Problem *p, const double *x) {
  for (int k = 0; k < p->constraints.count; k++)
    if (constraint_state(p, k, x) == CONSTRAINT_VIOLATED) return false;
  return true;
}

static LocalEnd evaluate_anywhere(Refit *r, double *x, double *objective) {
  LsqPoint *at = r->natural;
  memcpy(at->x, x, (size_t)r->n * sizeof *x);
  // As searches do, whose simulations have other steps because of the slopes.
  LsqEnd end = eval_natural(r, at, HUGE_VAL, r->n > 1);
  *objective = at->objective;
  if (end == LSQ_STOP) return LOCAL_STOPPED_END;
  return end == LSQ_DONE ? LOCAL_STEP_END : LOCAL_NO_START_END;
}

static LocalEnd evaluate_allowed(Refit *r, double *x, double *objective) {
  return is_allowed(r->p, x) ? evaluate_anywhere(r, x, objective) : LOCAL_INFEASIBLE_END;
}

// ---------------------------------------------------------------- sigma that is estimated together with the unknowns

enum { SIGMA_ROUNDS = 30 };
static const double SIGMA_TOL = 1e-6;

// What the objective leaves out when channels are weighted by their own residuals.
static double log_sigmas(const Refit *r, const double *sigma) {
  double sum = 0;
  for (int e = 0; e < r->p->experiment_count; e++)
    for (int c = 0; c < r->p->experiments[e].channel_count; c++) {
      const Channel *channel = &r->p->experiments[e].channels[c];
      if (channel->sigma_kind != SIGMA_ESTIMATED) continue;
      int at = channel_number(r->fitting->data, e, c);
      double least = fit_least_sigma(r->p, channel);
      sum += weight_of_samples(r->p, channel) *
             log(fmax(sigma[at], least) / fmax(r->first_weighting->sigma[at], least));
    }
  return sum;
}

typedef LocalEnd RefitStep(Refit *r, double *x, double *objective);

static bool has_value(LocalEnd end) {
  return end != LOCAL_STOPPED_END && end != LOCAL_NO_START_END && end != LOCAL_INFEASIBLE_END;
}

// Unknowns and sigmas in turn: each turn lowers the concentrated likelihood, and where they stand still it is at a minimum.
static LocalEnd settle_in_turn(Refit *r, RefitStep *step, double *x, double *objective) {
  LocalEnd end = LOCAL_ITERATIONS_END;
  bool settled = false;
  weighting_free(r->weighting);
  r->weighting = NULL;
  for (int round = 0; !settled && round < SIGMA_ROUNDS; round++) {
    LocalEnd stepped = step(r, x, objective);
    if (!has_value(stepped)) return stepped;
    EvalSpec spec = spec_of(r);
    double change = 0;
    Weighting *next =
        r->estimates_sigma ? result_weighting(r->work, &spec, NULL, x, &change) : NULL;
    settled = change < SIGMA_TOL;
    if (settled) end = stepped;
    // The logarithms belong to the sigmas that the objective was computed with.
    if (settled || round == SIGMA_ROUNDS - 1) *objective += log_sigmas(r, weighting_of(r)->sigma);
    if (next) weighting_free(r->weighting), r->weighting = next;
  }
  return end;
}

static LocalEnd settle(Refit *r, RefitStep *step, double *x, double *objective) {
  long own = work_count_simulations(&r->budget.used) + r->simulations_most;
  r->budget.max_simulations = own < r->limit ? own : r->limit;
  r->budget.exhausted = false;
  LocalEnd end = settle_in_turn(r, step, x, objective);
  r->used_up = r->budget.exhausted && own < r->limit;
  r->over = r->budget.exhausted && !r->used_up;
  return end;
}

LocalEnd refit_run(Refit *r, int held, double *x, double *objective) {
  r->held = held;
  bool alone = held >= 0 && r->n == 1;
  return settle(r, alone ? evaluate_allowed : search_others, x, objective);
}

static bool value_by(Refit *r, RefitStep *step, const double *x, double *objective) {
  r->held = -1;
  double *copy = r->best->x;
  memcpy(copy, x, (size_t)r->n * sizeof *x);
  return has_value(settle(r, step, copy, objective));
}

bool refit_value(Refit *r, const double *x, double *objective) {
  return value_by(r, evaluate_allowed, x, objective);
}

bool refit_value_anywhere(Refit *r, const double *x, double *objective) {
  return value_by(r, evaluate_anywhere, x, objective);
}
