#include "search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "global/global.h"
#include "num/random.h"
#include "num/residual_tests.h"
#include "search/shooting.h"

// ---------------------------------------------------------------- the least squares problem of a local search

typedef struct Scaled { // Lsq in the scale of the search
  Search *s;
  LsqPoint *natural;
} Scaled;

static void to_natural(const Search *s, const double *y, double *x) {
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    x[i] = s->log[i] ? fmin(fmax(exp(y[i]), f->min), f->max) : y[i];
  }
}

static void from_natural(const Search *s, const double *x, double *y) {
  for (int i = 0; i < s->n; i++) y[i] = s->log[i] ? log(x[i]) : x[i];
}

// The objective at the start is what the first evaluation there gave.
static void note_start(Search *s, const LsqPoint *p, LsqEnd end) {
  if (!isnan(s->result->objective_start) || end == LSQ_ABANDONED || end == LSQ_STOP) return;
  if (memcmp(p->x, s->start, (size_t)s->n * sizeof *p->x) != 0 || !objective_is_full(s->objective))
    return;
  s->result->objective_start = p->objective;
}

static LsqEnd scaled_eval(void *self, LsqPoint *out, double worth, bool slopes) {
  Scaled *c = self;
  Search *s = c->s;
  int n = s->n;
  to_natural(s, out->x, c->natural->x);
  LsqEnd end = objective_eval(s->objective, c->natural, worth, slopes);
  note_start(s, c->natural, end);
  out->objective = c->natural->objective;
  out->has_slopes = c->natural->has_slopes;
  if (!out->has_slopes) return end;
  memcpy(out->Qr, c->natural->Qr, (size_t)n * sizeof *out->Qr);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out->R[i * n + j] = c->natural->R[i * n + j] * (s->log[j] ? c->natural->x[j] : 1);
  return end;
}

// By y = log x, where it is searched that way: V_yy = x^2 V_xx + x V_x.
static LsqEnd scaled_hessian(void *self, const double *y, double *H) {
  Scaled *c = self;
  Search *s = c->s;
  int n = s->n;
  double *x = c->natural->x, *slope = c->natural->Qr, objective;
  to_natural(s, y, x);
  if (!s->hessian)
    s->hessian = hessian_new(s->objective, (HessianWay)s->problem->options.newton_hessian);
  LsqEnd end = hessian_eval(s->hessian, x, &objective, slope, H);
  s->no_hessian += end == LSQ_FAILED;
  if (end != LSQ_DONE) return end;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) H[i * n + j] *= (s->log[i] ? x[i] : 1) * (s->log[j] ? x[j] : 1);
    if (s->log[i]) H[i * n + i] += x[i] * slope[i];
  }
  return LSQ_DONE;
}

bool search_relay(void *data, const FitProgress *p) {
  Search *s = data;
  if (s->listener && !s->stopped && !s->listener(s->listener_data, p)) s->stopped = true;
  return !s->stopped;
}

void search_tell(Search *s, const double *x, double objective, int iteration) {
  memcpy(s->shown, x, (size_t)s->n * sizeof *x);
  s->progress.objective = objective;
  s->progress.iteration = iteration;
  s->progress.lambda = objective_lambda(s->objective);
  search_relay(s, &s->progress);
}

static void scaled_accepted(void *self, const LsqPoint *p, int iteration) {
  Scaled *c = self;
  to_natural(c->s, p->x, c->natural->x);
  search_tell(c->s, c->natural->x, p->objective, iteration);
}

static double typical_of(const Unknown *f, bool log) {
  if (log) return 1;
  if (f->start != 0) return fabs(f->start);
  double range = f->max - f->min;
  return isfinite(range) && range > 0 ? range / 10 : 1;
}

static LocalMethod *const METHODS[METHOD_COUNT] = {
    [METHOD_TRUST_REGION] = local_trust_region,
    [METHOD_LM] = local_lm,
    [METHOD_LMDER] = local_lmder,
    [METHOD_GAUSS_NEWTON] = local_gauss_newton,
    [METHOD_SQP] = local_sqp,
    [METHOD_NEWTON] = local_newton,
    [METHOD_NEWTON_FD] = local_newton_fd,
    [METHOD_IMPLICIT_FILTERING] = local_implicit_filtering,
    [METHOD_NELDER_MEAD] = local_nelder_mead,
    [METHOD_BOBYQA] = local_bobyqa,
    [METHOD_COBYLA] = local_cobyla,
    [METHOD_GA] = global_ga,
    [METHOD_PSO] = global_pso,
    [METHOD_CMA_ES] = global_cma_es,
    [METHOD_DE] = global_de,
};

Method search_option_method(const Problem *p) {
  static const Method BY_OPTION[] = {
      [LOCAL_TRUST_REGION] = METHOD_TRUST_REGION,
      [LOCAL_LM] = METHOD_LM,
      [LOCAL_LMDER] = METHOD_LMDER,
      [LOCAL_GAUSS_NEWTON] = METHOD_GAUSS_NEWTON,
      [LOCAL_SQP] = METHOD_SQP,
  };
  return p->constraints.count ? METHOD_SQP : BY_OPTION[p->options.local];
}

static Method method_of(const Search *s) {
  return METHODS[s->method] ? s->method : search_option_method(s->problem);
}

Local local_free(const Search *s) {
  const FitOptions *o = &s->problem->options;
  return (Local){
      .horizon = 1, .max_iterations = o->max_iterations, .step_tol = o->step_tol, .target = -1};
}

Local local_tied(double lambda) {
  return (Local){.lambda = lambda,
                 .horizon = 1,
                 .max_iterations = 60,
                 .step_tol = 1e-4,
                 .near = true,
                 .rough = true,
                 .target = -1};
}

// Values of a model without states have no error but rounding: tests that stop a search where errors of simulations hide
// the way go on much longer there.
static const double WITHOUT_STATES = 1e-6;

static LocalOptions options_of(const Search *s, const Local *l) {
  const FitOptions *o = &s->problem->options;
  bool whole = l->step_tol == o->step_tol; // a search to the end; both may be 0
  double loose = whole ? 1 : l->step_tol / o->step_tol;
  if (s->problem->model->nx == 0) loose *= WITHOUT_STATES;
  return (LocalOptions){.max_iterations = l->max_iterations,
                        .step_tol = l->step_tol,
                        .gradient_tol = fmin(1e-3, o->gradient_tol * loose),
                        .reduction_tol = fmin(1e-3, o->reduction_tol * loose * loose),
                        .step_factor = o->step_factor,
                        .line_search = o->line_search == LINE_SEARCH_ON,
                        .rough = l->rough,
                        .damping = o->newton_sigma,
                        .c1 = o->newton_c1,
                        .c2 = o->newton_c2,
                        .fd_step = o->fd_step,
                        .fd_full = o->fd_hessian == FD_HESSIAN_FULL,
                        .fd_exact = o->fd_gradient == FD_GRADIENT_SENSITIVITIES,
                        .target = l->target,
                        .fit = o};
}

// ---------------------------------------------------------------- many points, rows, constraints

// r: residuals as well; NULL: not wanted.
static LsqEnd scaled_many(Search *s, const double *y, int count, double *V, double *r) {
  size_t n = (size_t)s->n;
  Arena *a = arena_new();
  double *x = ARENA_ARRAY(a, double, (size_t)count *n + 1);
  for (int k = 0; k < count; k++) to_natural(s, y + (size_t)k * n, x + (size_t)k * n);
  if (r && !s->vectors) s->vectors = vectors_new(s->objective);
  if (!r && !s->points) s->points = points_new(s->objective);
  LsqEnd end =
      r ? vectors_values(s->vectors, x, count, V, r) : points_values(s->points, x, count, V);
  for (int k = 0; k < count; k++) {
    LsqPoint at = {.x = x + (size_t)k * n, .objective = V[k]};
    if (V[k] < HUGE_VAL) note_start(s, &at, LSQ_DONE);
  }
  arena_free(a);
  return end;
}

static LsqEnd scaled_values(void *self, const double *y, int count, double *V) {
  return scaled_many(((Scaled *)self)->s, y, count, V, NULL);
}

static LsqEnd scaled_vectors(void *self, const double *y, int count, double *V, double *r) {
  return scaled_many(((Scaled *)self)->s, y, count, V, r);
}

static LsqEnd scaled_residuals(void *self, const double *y, double *r, double *J) {
  Scaled *c = self;
  Search *s = c->s;
  size_t rows = (size_t)objective_vector_rows(s->objective);
  to_natural(s, y, c->natural->x);
  LsqEnd end = objective_vector(s->objective, c->natural->x, r, J);
  if (end == LSQ_DONE) {
    LsqPoint at = {.x = c->natural->x};
    for (size_t k = 0; k < rows; k++) at.objective += r[k] * r[k] / 2;
    note_start(s, &at, end);
  }
  for (int i = 0; end == LSQ_DONE && J && i < s->n; i++)
    for (size_t k = 0; s->log[i] && k < rows; k++) J[(size_t)i * rows + k] *= c->natural->x[i];
  return end;
}

static void scaled_constraints(void *self, const double *y, double *c, double *C) {
  Scaled *scaled = self;
  const Search *s = scaled->s;
  const Constraints *all = &s->problem->constraints;
  double *x = scaled->natural->x;
  to_natural(s, y, x);
  problem_constraints(s->problem, x, c, C);
  for (int k = 0; C && k < all->equalities + all->inequalities; k++)
    for (int i = 0; i < s->n; i++) C[(size_t)k * (size_t)s->n + (size_t)i] *= s->log[i] ? x[i] : 1;
}

static bool clips_at_zero(const Search *s) {
  return s->method == METHOD_NEWTON_FD && s->problem->options.fd_clip == FD_CLIP_ON;
}

enum { LOWER, UPPER, TYPICAL, BOX_LOW, BOX_HIGH, BOUND_KINDS };

static void set_bounds(const Search *s, double *const *to) {
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    double low, high;
    bool decades;
    search_box(f, &low, &high, &decades);
    to[LOWER][i] = s->log[i] ? log(f->min) : f->min;
    to[UPPER][i] = s->log[i] ? log(f->max) : f->max;
    to[TYPICAL][i] = typical_of(f, s->log[i]);
    to[BOX_LOW][i] = s->log[i] ? log(low) : low;
    to[BOX_HIGH][i] = s->log[i] ? log(high) : high;
    if (clips_at_zero(s) && !s->log[i] && f->max > 0) to[LOWER][i] = fmax(to[LOWER][i], 0);
  }
}

static void run_local(Search *s, Local *l, double *x) {
  Arena *a = arena_new();
  Scaled scaled = {s, lsq_point_new(a, s->n)};
  double *bounds[BOUND_KINDS];
  for (int k = 0; k < BOUND_KINDS; k++) bounds[k] = ARENA_ARRAY(a, double, s->n + 1);
  set_bounds(s, bounds);
  Lsq lsq = {.n = s->n,
             .lower = bounds[LOWER],
             .upper = bounds[UPPER],
             .typical = bounds[TYPICAL],
             .box_low = bounds[BOX_LOW],
             .box_high = bounds[BOX_HIGH],
             .noise = objective_accuracy(s->objective),
             .self = &scaled,
             .eval = scaled_eval,
             .hessian = scaled_hessian,
             .values = scaled_values,
             .rows = objective_vector_rows(s->objective),
             .residuals = scaled_residuals,
             .vectors = scaled_vectors,
             .equalities = s->problem->constraints.equalities,
             .inequalities = s->problem->constraints.inequalities,
             .constraints = scaled_constraints,
             .accepted = scaled_accepted};
  LocalOptions options = options_of(s, l);
  LocalResult result = {.best = lsq_point_new(a, s->n)};
  from_natural(s, x, result.best->x);
  METHODS[method_of(s)](&lsq, &options, &result);
  to_natural(s, result.best->x, x);
  l->objective = result.best->objective;
  l->end = result.end;
  l->iterations += result.iterations;
  l->evaluations += result.evaluations;
  objective_count(s->objective)->iterations += result.iterations;
  arena_free(a);
}

// Only methods that look for the best way themselves begin with less accuracy: others are given for what they do in each
// step, need second derivatives of the accuracy asked for, or get along with values.
static bool begins_quickly(const Search *s) {
  Method m = method_of(s);
  return m == METHOD_TRUST_REGION ||
         (m == METHOD_LM && s->problem->options.lm_damping == LM_DAMPING_RADIUS);
}

// Where to go is seen with little accuracy; where to stop is not. Motion that magnifies errors can mislead the first
// search: then the second begins where the first began.
static const double QUICK_STEP_TOL = 1e-3, MISLED = 1.5;

static bool quick_local(Search *s, Local *l, double *x, double *objective) {
  if (l->step_tol > QUICK_STEP_TOL / 10 || !objective_set_quick(s->objective, true)) return false;
  Local quick = *l;
  quick.step_tol = QUICK_STEP_TOL;
  quick.rough = true;
  run_local(s, &quick, x);
  objective_set_quick(s->objective, false);
  *objective = quick.objective;
  l->iterations = quick.iterations, l->evaluations = quick.evaluations;
  return quick.end != LOCAL_NO_START_END;
}

static void full_local(Search *s, Local *l, const double *start, double *x) {
  double quick;
  bool found = quick_local(s, l, x, &quick);
  if (!found) memcpy(x, start, (size_t)s->n * sizeof *x);
  run_local(s, l, x);
  if (found && l->end == LOCAL_STOPPED_END && l->objective == HUGE_VAL) l->objective = quick;
  if (!found || l->end == LOCAL_STOPPED_END ||
      l->objective <= MISLED * quick + objective_accuracy(s->objective))
    return;
  memcpy(x, start, (size_t)s->n * sizeof *x);
  run_local(s, l, x);
}

void search_local(Search *s, Local *l, double *x) {
  objective_set_lambda(s->objective, l->lambda);
  objective_set_horizon(s->objective, l->horizon);
  objective_set_quick(s->objective, false);
  l->iterations = l->evaluations = 0;
  if (l->near || !begins_quickly(s)) {
    run_local(s, l, x);
    return;
  }
  Arena *a = arena_new();
  double *start = ARENA_ARRAY(a, double, s->n + 1);
  memcpy(start, x, (size_t)s->n * sizeof *x);
  full_local(s, l, start, x);
  arena_free(a);
}

double search_evaluate(Search *s, double lambda, double horizon, const double *x) {
  Arena *a = arena_new();
  LsqPoint *at = lsq_point_new(a, s->n);
  memcpy(at->x, x, (size_t)s->n * sizeof *x);
  objective_set_lambda(s->objective, lambda);
  objective_set_horizon(s->objective, horizon);
  objective_eval(s->objective, at, HUGE_VAL, false);
  double objective = at->objective;
  arena_free(a);
  return objective;
}

// ---------------------------------------------------------------- certainty

static const double NUMERICAL_FLOOR =
    1e-7; // of the data's own variation: what interpolation and integration may leave
static const double NEAR_FLOOR = 1.5, SCATTER = 4;

double search_floor(Search *s, double horizon) {
  objective_set_horizon(s->objective, horizon);
  double noise = objective_floor(s->objective), data = objective_data(s->objective);
  double slack = 1 + SCATTER * sqrt(2 / fmax(2, objective_samples(s->objective)));
  if (isnan(noise)) noise = 0;
  return NEAR_FLOOR * slack * noise + NUMERICAL_FLOOR * data;
}

// Objective and estimate of the noise are means of N squares: their ratio scatters by about 3/sqrt(N), by half of that when
// the noise is known.
static const double LIMIT_SCATTER = 9, LIMIT_SCATTER_GIVEN = 4.5;

double search_limit(Search *s) {
  objective_set_horizon(s->objective, 1);
  double samples = objective_samples(s->objective), left = fmax(samples - s->n, 0);
  bool given = objective_noise_is_given(s->objective);
  double slack = 1 + (given ? LIMIT_SCATTER_GIVEN : LIMIT_SCATTER) / sqrt(fmax(left, 1));
  double noise = objective_floor(s->objective) / fmax(samples, 1);
  return s->problem->options.floor_factor * slack * noise * left;
}

// Samples beyond the numbers to be found, to tell anything of noise.
enum { LEFT_LEAST = 20, LEFT_LEAST_GIVEN = 5 };
// Where samples are far apart, differences show the motion as well as the noise.
static const double NOISE_SHARE = 0.1;

bool search_is_short(Search *s) {
  objective_set_horizon(s->objective, 1);
  int least = objective_noise_is_given(s->objective) ? LEFT_LEAST_GIVEN : LEFT_LEAST;
  return objective_samples(s->objective) < s->n + least;
}

bool search_noise_is_known(Search *s) {
  objective_set_horizon(s->objective, 1);
  double data = objective_data(s->objective);
  return data > 0 && !search_is_short(s) && objective_floor(s->objective) <= NOISE_SHARE * data;
}

typedef struct Rows { // residuals by channel, cut where the Huber loss leaves the square
  const Search *s;
  double **at;
  int *count;
  double objective; // half the sum of their squares
  long beyond;      // how many were cut
} Rows;

static void keep_rows(void *data, const ResidualBlock *b) {
  Rows *rows = data;
  if (b->channel < 0) return; // a gap between pieces
  const Objective *o = rows->s->objective;
  int at = objective_channel(o, b->experiment, b->channel);
  double huber = objective_huber(o, b->experiment, b->channel);
  for (int j = 0; j < b->rows; j++) {
    double r = b->column[rows->s->n][j], limit = huber < HUGE_VAL ? huber * b->scale[j] : HUGE_VAL;
    if (fabs(r) > limit) r = copysign(limit, r), rows->beyond++;
    rows->at[at][b->first + j] = r;
    rows->objective += r * r / 2;
  }
  rows->count[at] = b->first + b->rows;
}

static bool take_rows(Search *s, Arena *a, const FitPieces *pieces, const double *x, Rows *out) {
  const Problem *p = s->problem;
  int count = objective_channel_count(s->objective);
  *out = (Rows){.s = s, ARENA_ARRAY(a, double *, count + 1), ARENA_ARRAY(a, int, count + 1)};
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      out->at[objective_channel(s->objective, e, c)] =
          ARENA_ARRAY(a, double, p->experiments[e].channels[c].count + 1);
  if (!pieces) return objective_residuals(s->objective, x, keep_rows, out);
  return shooting_rows(p, pieces, objective_sigma(s->objective), x, keep_rows, out);
}

// Noise shows as much of a pattern only once in a million cases.
static const double UNLIKELY = 1e-6;

static bool looks_like_noise(const double *r, int n) {
  double neighbours = ljung_box_p(r, n), runs = runs_p(r, n); // NaN: too few to tell
  return !(neighbours < UNLIKELY) && !(runs < UNLIKELY);
}

// The Huber loss leaves outliers out of account: a few, not the bulk, which tells noise from a wrong optimum.
static const double OUTLIERS_MOST = 1.0 / 3;

// Whether residuals are of the size of the noise, outliers apart, and show no pattern.
static bool is_noise(Search *s, const FitPieces *pieces, const double *x) {
  Arena *a = arena_new();
  Rows rows;
  bool noise = take_rows(s, a, pieces, x, &rows) && rows.objective <= search_limit(s) &&
               (double)rows.beyond <= OUTLIERS_MOST * objective_samples(s->objective);
  for (int k = 0; k < objective_channel_count(s->objective); k++)
    noise = noise && looks_like_noise(rows.at[k], rows.count[k]);
  arena_free(a);
  return noise;
}

// As many numbers as samples fit anything.
static bool is_exact(Search *s, double objective) {
  objective_set_horizon(s->objective, 1);
  double data = objective_data(s->objective);
  return data > 0 && objective <= NUMERICAL_FLOOR * data &&
         objective_samples(s->objective) >= 2 * s->n + 5;
}

bool search_is_certain(Search *s, const FitPieces *pieces, const double *x, double objective) {
  if (is_exact(s, objective)) return true;
  bool robust = s->problem->options.loss == LOSS_HUBER; // the objective then counts outliers, too
  return search_noise_is_known(s) && (robust || objective <= search_limit(s)) &&
         is_noise(s, pieces, x);
}

void search_explain(Search *s, const char *by, double objective) {
  FitResult *r = s->result;
  double noise = r->floor;
  bool exact = is_exact(s, objective);
  if (r->pieces)
    snprintf(r->why, sizeof r->why,
             "in %d pieces whose ends meet (largest gap %.2g of the range of a state) the model "
             "follows the data at the level of their noise (objective %.4g, noise %.4g); the "
             "motion is too sensitive for one simulation over the whole time",
             fit_piece_count(s->problem, r->pieces), r->pieces->gap, objective, noise);
  else if (exact)
    snprintf(r->why, sizeof r->why,
             "the free model follows the data to %.2g of their own variation (%s): no other "
             "optimum can do better",
             objective > 0 ? sqrt(objective / objective_data(s->objective)) : 0, by);
  else
    snprintf(
        r->why, sizeof r->why,
        "the objective of the free model, %.4g,%s is at the level that the noise of the data alone "
        "explains (%.4g, %s), and the residuals show no "
        "pattern (%s)",
        objective, s->problem->options.loss == LOSS_HUBER ? " outliers apart," : "", noise,
        objective_noise_is_given(s->objective) ? "by the sigma that was given"
                                               : "estimated from their differences",
        by);
}

// Where constraints are violated, no objective makes up for it.
// The same optimum, to which a search that ended for another reason had come already.
static bool confirms(const Search *s, double objective, LocalEnd end) {
  double allowed = 1e-9 * s->best_objective + objective_accuracy(s->objective);
  return local_end_converged(end) && !local_end_converged(s->best_end) &&
         objective <= s->best_objective + allowed;
}

static bool is_better(const Search *s, double objective, bool satisfied) {
  bool before = s->best_objective < HUGE_VAL && problem_satisfied(s->problem, s->best);
  if (satisfied != before && objective < HUGE_VAL && s->best_objective < HUGE_VAL) return satisfied;
  return objective < s->best_objective;
}

bool search_offer(Search *s, const char *by, const double *x, double objective, LocalEnd end) {
  bool satisfied = problem_satisfied(s->problem, x);
  bool better = is_better(s, objective, satisfied) || (satisfied && confirms(s, objective, end));
  if (better) {
    memcpy(s->best, x, (size_t)s->n * sizeof *x);
    s->best_objective = objective;
    s->best_end = end;
    s->result->by = by;
  }
  bool certain = satisfied && local_end_converged(end) && search_is_certain(s, NULL, x, objective);
  if (certain && !s->result->certain) {
    s->result->certain = true;
    search_explain(s, by, objective);
  }
  return certain;
}

// ---------------------------------------------------------------- stages

void search_begin(Search *s, const char *stage) {
  s->progress.stage = stage;
  s->progress.iteration = 0, s->progress.objective = HUGE_VAL;
  FitStage part = {.name = stage, .message = "", .objective = HUGE_VAL};
  const FitWork *w = objective_work(s->objective);
  part.simulations = -(w->simulations + w->sensitivity_simulations);
  array_push(s->arena, &s->result->stages, part);
}

void search_end(Search *s, bool certain, double objective, const char *format, ...) {
  FitStage *part = &s->result->stages.at[s->result->stages.count - 1];
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const FitWork *w = objective_work(s->objective);
  part->message = arena_print(s->arena, "%s", text);
  part->objective = objective;
  part->certain = certain;
  part->simulations += w->simulations + w->sensitivity_simulations;
}

// Between simulations. Who stops after the first one has a result, that of the start.
bool search_keeps_going(void *data) {
  Search *s = data;
  const FitOptions *o = &s->problem->options;
  const FitWork *w = objective_work(s->objective);
  if (o->max_seconds > 0 && clock_seconds() - s->began > o->max_seconds) s->over_budget = true;
  if (w->simulations + w->sensitivity_simulations > 0) search_relay(s, &s->progress);
  return search_goes_on(s);
}

bool search_goes_on(Search *s) {
  if (objective_left(s->objective) <= 0 || objective_was_cut(s->objective)) s->over_budget = true;
  return !s->stopped && !s->over_budget;
}

bool search_affords(Search *s, const FitWork *work) {
  bool affords = work->simulations + work->sensitivity_simulations <= objective_left(s->objective);
  if (!affords) s->over_budget = true;
  return affords;
}

// ---------------------------------------------------------------- starts

void search_box(const Unknown *f, double *low, double *high, bool *decades) {
  double size = f->start != 0 ? 3 * fabs(f->start) : 1;
  *low = isfinite(f->min) ? f->min : fmin(f->start - size, f->max);
  *high = isfinite(f->max) ? f->max : fmax(f->start + size, *low);
  *decades = *low > 0 && *high > 10 * *low;
}

void search_random(Search *s, uint64_t number, double *x) {
  Random random;
  random_seed_stream(&random, (uint64_t)s->problem->options.seed, number);
  for (int i = 0; i < s->n; i++) {
    double u = random_uniform(&random), low, high;
    bool decades;
    search_box(&s->problem->unknowns[i], &low, &high, &decades);
    x[i] = decades ? low * pow(high / low, u) : low + (high - low) * u;
    x[i] = fmin(fmax(x[i], low), high);
  }
}

Search *search_new(const Problem *p, Objective *o, FitResult *r, FitListener *listener,
                   void *data) {
  Arena *a = r->arena;
  Search *s = ARENA_NEW(a, Search);
  s->arena = a;
  s->problem = p;
  s->result = r;
  s->n = p->unknown_count;
  s->method = p->method;
  s->objective = o ? o : objective_new(p);
  s->owns_objective = !o;
  s->best = ARENA_ARRAY(a, double, s->n + 1);
  s->tied = ARENA_ARRAY(a, double, s->n + 1);
  s->log = ARENA_ARRAY(a, bool, s->n + 1);
  for (int i = 0; i < s->n; i++) s->log[i] = p->unknowns[i].log;
  s->best_objective = HUGE_VAL;
  s->best_end = LOCAL_NO_START_END;
  s->listener = listener, s->listener_data = data;
  s->shown = ARENA_ARRAY(a, double, s->n + 1);
  for (int i = 0; i < s->n; i++) s->shown[i] = p->unknowns[i].start;
  s->progress = (FitProgress){
      .stage = "", .objective = HUGE_VAL, .x = s->shown, .work = objective_work(s->objective)};
  s->began = clock_seconds();
  objective_listen(s->objective, search_keeps_going, s);
  return s;
}

void search_free(Search *s) {
  points_free(s->points);
  vectors_free(s->vectors);
  hessian_free(s->hessian);
  if (s->owns_objective) objective_free(s->objective);
}
