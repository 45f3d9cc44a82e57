// Minimises V over y with x_i = exp(y_i) for unknowns on a logarithmic scale: V_y = x V_x, V_yy = x^2 V_xx + x V_x. A search
// from far away runs with quick simulations first.
#include "search/local_search.h"
#include "residual/closed_slopes.h"

#include <math.h>
#include <string.h>

#include "residual/closed_slopes.h"
#include "search/method_options.h"
#include "search/starts.h"

// ---------------------------------------------------------------- methods

#define no_local NULL
static LocalMethod *const METHODS[METHOD_COUNT] = {
#define METHOD(name, word, traits, run, local, meaning) [METHOD_##name] = local,
#include "problem/methods.def"
#undef METHOD
};

Method local_search_method(const Problem *p) {
  static const Method BY_OPTION[] = {
      [LOCAL_LM] = METHOD_LM,
      [LOCAL_LMDER] = METHOD_LMDER,
      [LOCAL_GAUSS_NEWTON] = METHOD_GAUSS_NEWTON,
      [LOCAL_SQP] = METHOD_SQP,
  };
  return p->constraints.count ? METHOD_SQP : BY_OPTION[p->options.local];
}

static Method method_of(const Search *s) {
  return METHODS[s->method] ? s->method : local_search_method(s->problem);
}

// ---------------------------------------------------------------- the least-squares problem that a local method sees

// y: the unknowns as they are searched, logarithms where s->log says so; x: the unknowns themselves.
typedef struct ScaledProblem {
  Search *s;
  const LocalSearch *l;
  bool quick;
  double *x, *R, *Qr;   // of the present point
  double *known;        // the optimum that is known, as it is searched; NULL: none
  bool arrived;         // in its region
  double first, lowest; // objectives evaluated; NaN: none yet
  FitMisfit first_misfit, lowest_misfit;
} ScaledProblem;

static void to_natural(const Search *s, const double *y, double *x) {
  for (int i = 0; i < s->n; i++) {
    const Unknown *u = &s->problem->unknowns[i];
    x[i] = s->log[i] ? fmin(fmax(exp(y[i]), u->min), u->max) : y[i];
  }
}

static void from_natural(const Search *s, const double *x, double *y) {
  for (int i = 0; i < s->n; i++) y[i] = s->log[i] ? log(x[i]) : x[i];
}

static EvalSpec spec_of(const ScaledProblem *c) {
  EvalSpec spec = search_spec(c->s);
  spec.lambda = c->l->lambda, spec.strength = c->l->strength, spec.gains = c->l->gains;
  long limit = c->l->step_limit;
  if (limit && !(spec.step_limit && spec.step_limit < limit)) spec.step_limit = limit;
  spec.horizon = c->l->horizon;
  spec.quick = c->quick;
  return spec;
}

LsqEnd local_search_end(EvalEnd e) {
  static const LsqEnd ENDS[] = {[EVAL_DONE] = LSQ_DONE,
                                [EVAL_ABANDONED] = LSQ_ABANDONED,
                                [EVAL_FAILED] = LSQ_FAILED,
                                [EVAL_STOPPED] = LSQ_STOP};
  return ENDS[e];
}

// The objective at the start of the fit is what the first full evaluation there gave.
static void note_start(Search *s, const EvalSpec *spec, const double *x, double objective,
                       EvalEnd end) {
  if (!isnan(s->result->objective_start) || end == EVAL_ABANDONED || end == EVAL_STOPPED) return;
  if (memcmp(x, s->start, (size_t)s->n * sizeof *x) != 0 || !eval_spec_is_full(spec)) return;
  s->result->objective_start = objective;
}

// What the path of a homotopy tells about a stage: its first point and its lowest.
static void note_misfit(ScaledProblem *c, const EvalSpec *spec, double objective) {
  FitMisfit misfit = {.size = nan("")};
  if (objective >= c->lowest) return;
  if (spec->lambda > 0) misfit.size = eval_misfit(c->s->work, &misfit.experiment, &misfit.channel);
  if (isnan(c->first)) c->first = objective, c->first_misfit = misfit;
  c->lowest = objective, c->lowest_misfit = misfit;
}

static LsqEnd scaled_eval(void *self, LsqPoint *out, double abandon_above, bool slopes) {
  ScaledProblem *c = self;
  Search *s = c->s;
  int n = s->n;
  EvalSpec spec = spec_of(c);
  EvalPoint at = {.R = c->R, .Qr = c->Qr};
  if (c->arrived) return LSQ_STOP;
  spec.abandon_above = abandon_above;
  spec.slopes = slopes;
  to_natural(s, out->x, c->x);
  EvalEnd end = evaluate(s->work, &spec, c->x, &at);
  if (end == EVAL_DONE) search_note_steps(s, at.steps);
  note_start(s, &spec, c->x, at.objective, end);
  if (end == EVAL_DONE) note_misfit(c, &spec, at.objective);
  out->objective = at.objective;
  out->has_slopes = at.has_slopes;
  if (!out->has_slopes) return local_search_end(end);
  memcpy(out->Qr, c->Qr, (size_t)n * sizeof *out->Qr);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out->R[i * n + j] = c->R[i * n + j] * (s->log[j] ? c->x[j] : 1);
  return LSQ_DONE;
}

// With y = log x: V_yy = x^2 V_xx + x V_x.
static LsqEnd scaled_hessian(void *self, const double *y, double *H) {
  ScaledProblem *c = self;
  Search *s = c->s;
  int n = s->n;
  EvalSpec spec = spec_of(c);
  double *x = c->x, *slope = c->Qr, objective;
  to_natural(s, y, x);
  if (!s->hessian)
    s->hessian = hessian_new(s->fitting, (HessianWay)s->problem->options.newton_hessian);
  EvalEnd end = hessian_eval(s->hessian, s->work, &spec, x, &objective, slope, H);
  s->no_hessian += end == EVAL_FAILED;
  if (end != EVAL_DONE) return local_search_end(end);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) H[i * n + j] *= (s->log[i] ? x[i] : 1) * (s->log[j] ? x[j] : 1);
    if (s->log[i]) H[i * n + i] += x[i] * slope[i];
  }
  return LSQ_DONE;
}

// The region of the known optimum: the objective is near, and the linear model at p has its minimum there.
static const double NEAR_KNOWN = 20; // units of twice the log-likelihood, by unknown

static bool leads_to_known(const ScaledProblem *c, const LsqPoint *p) {
  const KnownOptimum *known = c->l->known;
  int n = c->s->n;
  double above = p->objective - known->objective, rest = 0;
  if (!p->has_slopes || !(above < NEAR_KNOWN * n * known->unit)) return false;
  for (int i = 0; i < n; i++) {
    double row = p->Qr[i];
    for (int j = i; j < n; j++) row += p->R[i * n + j] * (c->known[j] - p->x[j]);
    rest += row * row / 2;
  }
  return rest < known->unit;
}

static void scaled_accepted(void *self, const LsqPoint *p, int iteration) {
  ScaledProblem *c = self;
  c->arrived = c->known && leads_to_known(c, p);
  to_natural(c->s, p->x, c->x);
  c->s->running = c->l->lambda == 0 && c->l->horizon >= 1 ? p->objective : HUGE_VAL;
  search_tell(c->s, c->l->lambda, c->x, p->objective, iteration);
}

// r: residuals as well; NULL: not wanted.
static LsqEnd scaled_many(ScaledProblem *c, const double *y, int count, double *V, double *r) {
  Search *s = c->s;
  size_t n = (size_t)s->n;
  EvalSpec spec = spec_of(c);
  long steps;
  Arena *a = arena_new();
  double *x = ARENA_ARRAY(a, double, (size_t)count *n + 1);
  for (int k = 0; k < count; k++) to_natural(s, y + (size_t)k * n, x + (size_t)k * n);
  if (!s->many) s->many = many_points_new(s->work, s->problem->options.threads);
  EvalEnd end = r ? many_residuals(s->many, &spec, x, count, V, r, &steps)
                  : many_values(s->many, &spec, x, count, V, &steps);
  search_note_steps(s, steps);
  for (int k = 0; k < count; k++)
    if (V[k] < HUGE_VAL) note_start(s, &spec, x + (size_t)k * n, V[k], EVAL_DONE);
  arena_free(a);
  return local_search_end(end);
}

static LsqEnd scaled_values(void *self, const double *y, int count, double *V) {
  return scaled_many(self, y, count, V, NULL);
}

static LsqEnd scaled_vectors(void *self, const double *y, int count, double *V, double *r) {
  return scaled_many(self, y, count, V, r);
}

static LsqEnd scaled_residuals(void *self, const double *y, double *r, double *J) {
  ScaledProblem *c = self;
  Search *s = c->s;
  EvalSpec spec = spec_of(c);
  size_t rows = (size_t)residual_count(s->problem, spec.horizon);
  long steps;
  to_natural(s, y, c->x);
  EvalEnd end = evaluate_residuals(s->work, &spec, c->x, r, J, &steps);
  if (end != EVAL_DONE) return local_search_end(end);
  search_note_steps(s, steps);
  double objective = 0;
  for (size_t k = 0; k < rows; k++) objective += r[k] * r[k] / 2;
  note_start(s, &spec, c->x, objective, end);
  note_misfit(c, &spec, objective);
  for (int i = 0; J && i < s->n; i++)
    for (size_t k = 0; s->log[i] && k < rows; k++) J[(size_t)i * rows + k] *= c->x[i];
  return LSQ_DONE;
}

static void scaled_constraints(void *self, const double *y, double *c, double *C) {
  const ScaledProblem *scaled = self;
  const Search *s = scaled->s;
  const ProblemConstraints *all = &s->problem->constraints;
  double *x = scaled->x;
  to_natural(s, y, x);
  problem_constraints(s->problem, x, c, C);
  for (int k = 0; C && k < all->equalities + all->inequalities; k++)
    for (int i = 0; i < s->n; i++) C[(size_t)k * (size_t)s->n + (size_t)i] *= s->log[i] ? x[i] : 1;
}

// ---------------------------------------------------------------- options and bounds

// Values that nothing is integrated for have no error but rounding: tests that end a search where errors of simulations hide the
// way go on much longer there.
static const double WITHOUT_STATES = 1e-6;

static LocalOptions options_of(const Search *s, const LocalSearch *l,
                               PopulationOptions *population) {
  const FitOptions *o = &s->problem->options;
  bool whole = l->step_tol == o->step_tol; // a search to the end; both may be 0
  double loose = whole ? 1 : l->step_tol / o->step_tol;
  if (!problem_integrates(s->problem)) loose *= WITHOUT_STATES;
  LocalOptions options = method_options(o, population);
  options.max_iterations = l->max_iterations;
  options.step_tol = l->step_tol;
  options.gradient_tol = fmin(1e-3, o->gradient_tol * loose);
  options.reduction_tol = fmin(1e-3, o->reduction_tol * loose * loose);
  options.rough = l->rough;
  options.target = l->target;
  return options;
}

static double typical_of(const Unknown *u, bool log) {
  if (log) return 1;
  if (u->start != 0) return fabs(u->start);
  double range = u->max - u->min;
  return isfinite(range) && range > 0 ? range / 10 : 1;
}

enum { LOWER, UPPER, TYPICAL, FD_STEP, BOX_LOW, BOX_HIGH, BOUND_KINDS };

static void set_bounds(const Search *s, const LocalSearch *l, const double *x, double *const *to) {
  bool clips = s->method == METHOD_NEWTON_FD && s->problem->options.fd_clip == FD_CLIP_ON;
  for (int i = 0; i < s->n; i++) {
    const Unknown *u = &s->problem->unknowns[i];
    double low, high;
    bool decades;
    start_range(u, &low, &high, &decades);
    to[LOWER][i] = s->log[i] ? log(u->min) : u->min;
    to[UPPER][i] = s->log[i] ? log(u->max) : u->max;
    to[TYPICAL][i] = typical_of(u, s->log[i]);
    to[FD_STEP][i] = u->fd_step;
    to[BOX_LOW][i] = s->log[i] ? log(low) : low;
    to[BOX_HIGH][i] = s->log[i] ? log(high) : high;
    if (clips && !s->log[i] && u->max > 0) to[LOWER][i] = fmax(to[LOWER][i], 0);
    if (l->held && l->held[i]) to[LOWER][i] = to[UPPER][i] = s->log[i] ? log(x[i]) : x[i];
  }
}

// ---------------------------------------------------------------- searches

LocalSearch local_search_full(const Search *s) {
  const FitOptions *o = &s->problem->options;
  return (LocalSearch){.strength = 1,
                       .horizon = 1,
                       .max_iterations = o->max_iterations,
                       .step_tol = o->step_tol,
                       .target = -1,
                       .known = s->known};
}

LocalSearch local_search_coupled(double lambda, double strength) {
  return (LocalSearch){.lambda = lambda,
                       .strength = strength,
                       .horizon = 1,
                       .max_iterations = 60,
                       .step_tol = 1e-4,
                       .near = true,
                       .rough = true,
                       .target = -1};
}

static double accuracy_of(const Search *s, const LocalSearch *l) {
  return accuracy_objective(s->fitting, s->weighting, l->lambda > 0, l->horizon);
}

static void run_method(Search *s, LocalSearch *l, bool quick, double *x) {
  Arena *a = arena_new();
  size_t n = (size_t)s->n;
  ScaledProblem scaled = {.s = s,
                          .l = l,
                          .quick = quick,
                          .first = nan(""),
                          .lowest = nan(""),
                          .first_misfit.size = nan(""),
                          .lowest_misfit.size = nan(""),
                          .x = ARENA_ARRAY(a, double, n + 1),
                          .R = ARENA_ARRAY(a, double, n *n + 1),
                          .Qr = ARENA_ARRAY(a, double, n + 1)};
  double *bounds[BOUND_KINDS];
  for (int k = 0; k < BOUND_KINDS; k++) bounds[k] = ARENA_ARRAY(a, double, n + 1);
  set_bounds(s, l, x, bounds);
  if (l->known && !quick && l->lambda == 0 && l->horizon >= 1) {
    scaled.known = ARENA_ARRAY(a, double, n + 1);
    from_natural(s, l->known->x, scaled.known);
  }
  Lsq lsq = {.n = s->n,
             .lower = bounds[LOWER],
             .upper = bounds[UPPER],
             .typical = bounds[TYPICAL],
             .fd_step = bounds[FD_STEP],
             .box_low = bounds[BOX_LOW],
             .box_high = bounds[BOX_HIGH],
             .noise = accuracy_of(s, l),
             .self = &scaled,
             .eval = scaled_eval,
             .hessian = scaled_hessian,
             .values = scaled_values,
             .rows = residual_count(s->problem, l->horizon),
             .residuals = scaled_residuals,
             .vectors = scaled_vectors,
             .equalities = s->problem->constraints.equalities,
             .inequalities = s->problem->constraints.inequalities,
             .constraints = scaled_constraints,
             .accepted = scaled_accepted};
  PopulationOptions population;
  LocalOptions options = options_of(s, l, &population);
  LocalResult result = {.best = lsq_point_new(a, s->n)};
  from_natural(s, x, result.best->x);
  METHODS[method_of(s)](&lsq, &options, &result);
  to_natural(s, result.best->x, x);
  l->objective = result.best->objective;
  l->objective_start = scaled.first;
  l->misfit_start = scaled.first_misfit, l->misfit = scaled.lowest_misfit;
  l->end = result.end;
  if (scaled.arrived && l->end == LOCAL_STOPPED_END) l->end = LOCAL_KNOWN_END;
  if (!patience_lasts(0) && local_end_converged(l->end)) l->end = LOCAL_STOPPED_END; // cut short
  l->iterations += result.iterations;
  l->evaluations += result.evaluations;
  s->budget.used.iterations += result.iterations;
  arena_free(a);
}

// Only methods that choose their own way begin with less accuracy. Others are asked for because of what they do in each step,
// need second derivatives of full accuracy, or use values alone.
static bool begins_quickly(const Search *s) {
  return method_of(s) == METHOD_LM && s->problem->options.lm_damping == LM_DAMPING_RADIUS;
}

// Where to go is seen with little accuracy; where to stop is not. Motion that magnifies errors can mislead the first search:
// then the second one begins where the first began.
static const double QUICK_STEP_TOL = 1e-3, MISLED = 1.5;

// ---------------------------------------------------------------- closed simulators

static const double PROMISED =
    1e-3; // part of the objective that a linear model still promises to remove

// Whether a search that ended at x was misled by its slopes, which are differences of whole runs: no step was better, although
// they promise one.
static bool is_stalled(Search *s, const LocalSearch *l, const double *x) {
  if (l->end == LOCAL_NO_DESCENT_END || l->end == LOCAL_FAILED_END) return true;
  if (l->end != LOCAL_STEP_END && l->end != LOCAL_REDUCTION_END) return false;
  Arena *a = arena_new();
  size_t n = (size_t)s->n;
  EvalSpec spec = search_spec(s);
  EvalPoint at = {.R = ARENA_ARRAY(a, double, n *n + 1), .Qr = ARENA_ARRAY(a, double, n + 1)};
  spec.lambda = l->lambda, spec.strength = l->strength, spec.gains = l->gains;
  spec.horizon = l->horizon;
  spec.slopes = true;
  double promised = 0;
  bool at_bound = false;
  if (evaluate(s->work, &spec, x, &at) == EVAL_DONE)
    for (size_t i = 0; i < n; i++) promised += at.Qr[i] * at.Qr[i] / 2;
  for (size_t i = 0; i < n; i++) {
    const Unknown *u = &s->problem->unknowns[i];
    at_bound |= x[i] <= u->min || x[i] >= u->max || (l->held && l->held[i]);
  }
  bool stalled = !at_bound && promised > PROMISED * l->objective +
                                             accuracy_objective(s->fitting, s->weighting, false, 1);
  arena_free(a);
  return stalled;
}

// Differences of whole runs have steps that suit the start of the fit: where a search stalls they are chosen anew, and the search
// goes on from there.
static void go_on_with_new_steps(Search *s, LocalSearch *l, double *x) {
  bool by_runs = s->problem->closed && s->budget.used.slopes_by_runs > 0;
  if (!by_runs || l->rough || !method_has(method_of(s), METHOD_SLOPES) || !search_goes_on(s))
    return;
  if (!is_stalled(s, l, x) || !search_goes_on(s)) return;
  const struct ClosedSlopes *before = s->closed_slopes;
  LocalSearch again = *l;
  s->closed_slopes = closed_slopes_at(s->arena, s->fitting->model, x, &s->budget);
  double *point = search_copy(s, x);
  run_method(s, &again, false, point);
  s->closed_slopes = before;
  if (!(again.objective <= l->objective)) return;
  memcpy(x, point, (size_t)s->n * sizeof *x);
  *l = again;
}

static void search_with_accuracy(Search *s, LocalSearch *l, double *x) {
  l->iterations = l->evaluations = 0;
  bool quick = !l->near && begins_quickly(s) && l->step_tol <= QUICK_STEP_TOL / 10 &&
               eval_has_quick(s->fitting, l->lambda);
  if (!quick) {
    run_method(s, l, false, x);
    return;
  }
  Arena *a = arena_new();
  double *start = ARENA_ARRAY(a, double, s->n + 1);
  size_t bytes = (size_t)s->n * sizeof *x;
  memcpy(start, x, bytes);
  LocalSearch first = *l;
  first.step_tol = QUICK_STEP_TOL;
  first.rough = true;
  run_method(s, &first, true, x);
  bool found = first.end != LOCAL_NO_START_END;
  l->iterations = first.iterations, l->evaluations = first.evaluations;
  if (!found) memcpy(x, start, bytes);
  run_method(s, l, false, x);
  bool stopped = l->end == LOCAL_STOPPED_END;
  if (found && stopped && l->objective == HUGE_VAL) l->objective = first.objective;
  if (found && !stopped && !(l->objective <= MISLED * first.objective + accuracy_of(s, l))) {
    memcpy(x, start, bytes);
    run_method(s, l, false, x);
  }
  arena_free(a);
}

void local_search_run(Search *s, LocalSearch *l, double *x) {
  search_with_accuracy(s, l, x);
  go_on_with_new_steps(s, l, x);
}

void local_search_polish(Search *s) {
  if (local_end_converged(s->best.end) || !search_goes_on(s)) return;
  double *x = search_copy(s, s->best.x);
  LocalSearch l = local_search_full(s);
  local_search_run(s, &l, x);
  if (l.end != LOCAL_NO_START_END) search_offer(s, s->result->by, x, l.objective, l.end);
  if (l.objective <= s->best.objective) s->best.end = l.end;
}

bool local_search_stage(Search *s, const char *stage, const double *from, double target) {
  double *x = search_copy(s, from);
  LocalSearch l = local_search_full(s);
  l.target = target;
  search_begin(s, stage);
  local_search_run(s, &l, x);
  if (l.end == LOCAL_NO_START_END) {
    search_end(s, false, HUGE_VAL, "the model cannot be simulated there: %s", eval_why(s->work));
    return false;
  }
  bool fits = search_offer(s, stage, x, l.objective, l.end);
  search_end(s, fits, l.objective, "%s", local_end_sentence(l.end));
  return fits;
}
