// Gauss-Newton as in the papers: x + factor*d with R d = -Qr, the minimum of the linear model |Qr + R d|^2; or the step halved
// until the objective falls by a part of what the slope promises (Armijo): V(x + part*d) < V(x) + 1e-4 part slope'd. Bounds only
// cut the new point off. gauss_newton_natural.c has the damping that is the default.
#include "local/gauss_newton_natural.h"

#include <math.h>
#include <string.h>

#include "local/common.h"
#include "local/linear.h"

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
  double **vectors[] = {&s->scale, &s->slope, &s->norm, &s->d, &s->moved};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n);
  return s;
}

static void end(GaussNewton *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

// The step to the minimum of the linear model; the shortest in scaled unknowns where R has no full rank. Returns slope'd.
static double find_step(GaussNewton *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  linear_slope(n, p->R, p->Qr, s->slope, s->norm);
  for (int i = 0; i < n; i++) s->scale[i] = s->norm[i] > 0 ? s->norm[i] : 1;
  LinearModel m = {n, p->R, p->Qr, s->scale, NULL, NULL};
  linear_step(s->linear, &m, linear_least_damping(&m), NULL, s->d);
  double along = 0;
  for (int i = 0; i < n; i++) along += s->slope[i] * s->d[i];
  return along;
}

static void set_trial(GaussNewton *s, double part) {
  for (int i = 0; i < s->lsq->n; i++) s->trial->x[i] = s->at->x[i] + part * s->d[i];
  local_clamp(s->lsq, s->trial->x);
  for (int i = 0; i < s->lsq->n; i++) s->moved[i] = s->trial->x[i] - s->at->x[i];
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
  double first = s->options->step_factor, V = s->at->objective, floor = s->lsq->noise;
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
  bool natural = options->line_search == LINE_SEARCH_NATURAL && lsq->residuals;
  result->iterations = result->evaluations = 0;
  if (natural && gauss_newton_natural(lsq, options, result)) return;
  run(lsq, options, result, options->line_search != LINE_SEARCH_OFF);
}
