// Gauss-Newton as in the papers: x + factor*d with R d = -Qr, the minimum of the linear model |Qr + R d|^2; or the step halved
// until the objective falls by a part of what the slope promises (Armijo): V(x + part*d) < V(x) + 1e-4 part slope'd. Bounds only
// cut the new point off. gauss_newton_natural.c has the damping that is the default.
//
// gn_rank: minimum-norm takes the shortest step that does what the data show clearly: with R = U diag(s) V', singular values
// below gn_rank_tol*s_1 count as 0. Unknowns are not scaled: of several that act alike, each takes the same part. Steps that
// would leave the bounds are halved, too, and unknowns at a bound that a step pushes against do not move.
#include "local/gauss_newton_natural.h"

#include <math.h>
#include <string.h>

#include "local/common.h"
#include "local/linear.h"
#include "num/svd.h"

typedef struct GaussNewton {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial;
  LsqPoint *lowest; // of all points: steps that are not searched may lead uphill
  double *d;        // the whole step
  double *moved;    // from the point to the trial
  LinearWork *linear;
  double *scale, *slope, *norm;
  // minimum norm: singular vectors and values, unknowns that cannot move, and what the step promises
  double *U, *V, *sv;
  bool *held;
  double gain;
  bool ended;
} GaussNewton;

static GaussNewton *gauss_newton_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                                     LocalResult *result) {
  int n = lsq->n;
  GaussNewton *s = ARENA_NEW(a, GaussNewton);
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, n);
  s->trial = lsq_point_new(a, n);
  s->lowest = lsq_point_new(a, n);
  s->linear = linear_new(a, n);
  double **vectors[] = {&s->scale, &s->slope, &s->norm, &s->d, &s->moved, &s->sv};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  s->U = ARENA_ARRAY(a, double, (size_t)n *(size_t)n + 1);
  s->V = ARENA_ARRAY(a, double, (size_t)n *(size_t)n + 1);
  s->held = ARENA_ARRAY(a, bool, n + 1);
  return s;
}

static void end(GaussNewton *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static bool is_cut(const GaussNewton *s) {
  return s->options->gn_rank == GN_RANK_MINIMUM_NORM;
}

// The shortest step of the unknowns that are not held, without directions of small singular values.
static void shortest_step(GaussNewton *s) {
  int n = s->lsq->n;
  memset(s->d, 0, (size_t)n * sizeof *s->d);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s->U[i * n + j] = s->held[j] ? 0 : s->at->R[i * n + j];
  svd(n, n, s->U, s->sv, s->V);
  s->gain = 0;
  for (int k = 0; k < n && s->sv[k] > 0 && s->sv[k] >= s->options->gn_rank_tol * s->sv[0]; k++) {
    double part = 0;
    for (int i = 0; i < n; i++) part += s->U[i * n + k] * s->at->Qr[i];
    for (int j = 0; j < n; j++) s->d[j] -= s->V[j * n + k] * part / s->sv[k];
    s->gain += part * part / 2;
  }
}

// Holds what the step would push out of its bounds at once; false: nothing more.
static bool hold_at_bounds(GaussNewton *s) {
  bool any = false;
  for (int i = 0; i < s->lsq->n; i++) {
    double x = s->at->x[i], close = s->options->step_tol * local_size(s->lsq, s->at->x, i);
    bool out = s->d[i] < 0 ? x - s->lsq->lower[i] <= close : s->lsq->upper[i] - x <= close;
    if (s->held[i] || s->d[i] == 0 || !out) continue;
    s->held[i] = any = true;
  }
  return any;
}

static void find_shortest_step(GaussNewton *s) {
  memset(s->held, 0, (size_t)s->lsq->n * sizeof *s->held);
  do shortest_step(s);
  while (hold_at_bounds(s));
}

static void find_whole_step(GaussNewton *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  for (int i = 0; i < n; i++) s->scale[i] = s->norm[i] > 0 ? s->norm[i] : 1;
  LinearModel m = {n, p->R, p->Qr, s->scale, NULL, NULL};
  linear_step(s->linear, &m, linear_least_damping(&m), NULL, s->d);
}

// The step to the minimum of the linear model; the shortest in scaled unknowns where R has no full rank. Returns slope'd.
static double find_step(GaussNewton *s) {
  int n = s->lsq->n;
  double along = 0;
  linear_slope(n, s->at->R, s->at->Qr, s->slope, s->norm);
  (is_cut(s) ? find_shortest_step : find_whole_step)(s);
  for (int i = 0; i < n; i++) along += s->slope[i] * s->d[i];
  return along;
}

static void set_trial(GaussNewton *s, double part) {
  for (int i = 0; i < s->lsq->n; i++) s->trial->x[i] = s->at->x[i] + part * s->d[i];
  local_clamp(s->lsq, s->trial->x);
  for (int i = 0; i < s->lsq->n; i++) s->moved[i] = s->trial->x[i] - s->at->x[i];
}

// The part of a step that is tried first: of a shortest one what halving leaves inside the bounds. A bound that is near is
// gone to at once, so that the next step leaves out what it holds.
static double part_inside(const GaussNewton *s, double part) {
  double room = HUGE_VAL, first = part;
  if (!is_cut(s)) return part;
  for (int i = 0; i < s->lsq->n; i++) {
    double x = s->at->x[i], d = s->d[i];
    if (d != 0) room = fmin(room, ((d < 0 ? s->lsq->lower[i] : s->lsq->upper[i]) - x) / d);
  }
  while (part > room && part > first / 8) part /= 2;
  return fmin(part, room);
}

static void move(GaussNewton *s) {
  LocalEnd how;
  LsqPoint *old = s->at;
  bool small = local_is_small(s->lsq, s->at->x, s->moved, s->options->step_tol);
  s->at = s->trial;
  s->trial = old;
  s->result->iterations++;
  if (s->at->objective < s->lowest->objective) lsq_point_copy(s->lowest, s->at, s->lsq->n);
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (local_is_good(s->at, s->options, &how))
    end(s, how);
  else if (small)
    end(s, LOCAL_STEP_END);
}

static void take_step(GaussNewton *s) {
  set_trial(s, s->options->step_factor);
  LsqEnd how = local_eval(s->lsq, s->trial, HUGE_VAL, s->result);
  if (how == LSQ_DONE)
    move(s);
  else
    end(s, how == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_FAILED_END);
}

static void search_step(GaussNewton *s, double along) {
  double first = part_inside(s, s->options->step_factor), V = s->at->objective,
         floor = s->lsq->noise;
  for (double part = first; !s->ended; part /= 2) {
    set_trial(s, part);
    bool small = local_is_small(s->lsq, s->at->x, s->moved, s->options->step_tol);
    LsqEnd how = local_eval(s->lsq, s->trial, V, s->result);
    if (how == LSQ_STOP)
      end(s, LOCAL_STOPPED_END);
    else if (how == LSQ_DONE && s->trial->objective < V + 1e-4 * part * along) {
      move(s);
      return;
    } else if (small) {
      // What the whole step would gain, half of -along, may be lost in the errors of the simulation.
      bool level = -along / 2 <= fmax(2 * sqrt(V * floor) + floor, 1e-12 * V);
      end(s, part == first || level ? LOCAL_REDUCTION_END : LOCAL_NO_DESCENT_END);
    }
  }
}

// Goes on from result->best; counts go on, too.
static void run(const Lsq *lsq, const LocalOptions *options, LocalResult *result, bool search) {
  Arena *a = arena_new();
  GaussNewton *s = gauss_newton_new(a, lsq, options, result);
  LocalEnd how;
  if (lsq->n) memcpy(s->at->x, result->best->x, (size_t)lsq->n * sizeof(double));
  local_clamp(lsq, s->at->x);
  LsqEnd e = local_eval(lsq, s->at, HUGE_VAL, result);
  if (local_ends_at_start(e, s->at, options, &how)) end(s, how);
  lsq_point_copy(s->lowest, s->at, lsq->n);
  while (!s->ended) {
    double along = find_step(s);
    if (local_cosine(lsq, s->at, s->slope, s->norm) <= options->gradient_tol)
      end(s, LOCAL_GRADIENT_END);
    else if (is_cut(s) && s->gain <= options->reduction_tol * s->at->objective)
      end(s, LOCAL_REDUCTION_END);
    else if (result->iterations >= options->max_iterations)
      end(s, LOCAL_ITERATIONS_END);
    else if (search)
      search_step(s, along);
    else
      take_step(s);
  }
  // The result of a search that converged is where it converged, even if it passed a lower point on the way.
  const LsqPoint *found = local_end_converged(result->end) ? s->at : s->lowest;
  lsq_point_copy(result->best, found, lsq->n);
  arena_free(a);
}

void local_gauss_newton(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  bool natural = options->line_search == LINE_SEARCH_NATURAL && options->gn_rank == GN_RANK_FULL &&
                 lsq->residuals;
  result->iterations = result->evaluations = 0;
  if (natural && gauss_newton_natural(lsq, options, result)) return;
  run(lsq, options, result, options->line_search != LINE_SEARCH_OFF);
}
