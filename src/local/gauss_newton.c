// Gauss-Newton as in the papers: the whole step, a fixed part of it, or the step halved until the objective falls. Bounds
// only cut the new point off. gauss_newton_natural.c has the other damping.
#include "local/gauss_newton.h"

#include <math.h>
#include <string.h>

#include "local/descent.h"

typedef struct GaussNewton {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial;
  LsqPoint *lowest; // of all points: steps that are not searched may lead uphill
  LinearWork *linear;
  double *scale, *slope, *norm, *d, *moved;
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

// The step to the minimum of the linear model; the shortest in scaled numbers where R has no full rank.
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

// What the whole step would gain, half of -along, is lost in the errors of the simulation.
static bool promises_nothing(const GaussNewton *s, double along) {
  double floor = s->lsq->noise, V = s->at->objective;
  return -along / 2 <= fmax(2 * sqrt(V * floor) + floor, 1e-12 * V);
}

// Halves until the objective falls by a part of what the slope promises (Armijo).
static void search_step(GaussNewton *s, double along) {
  for (double part = s->options->step_factor; !s->ended; part /= 2) {
    set_trial(s, part);
    bool small = local_is_small(s->lsq, s->at->x, s->moved, s->options->step_tol);
    LsqEnd how = local_eval(s->lsq, s->trial, s->at->objective, s->result);
    if (how == LSQ_STOP)
      end(s, LOCAL_STOPPED_END);
    else if (how == LSQ_DONE && s->trial->objective < s->at->objective + 1e-4 * part * along) {
      move(s);
      return;
    } else if (small)
      end(s, part == s->options->step_factor || promises_nothing(s, along) ? LOCAL_REDUCTION_END
                                                                           : LOCAL_NO_DESCENT_END);
  }
}

static void start(GaussNewton *s) {
  LocalEnd how;
  if (s->lsq->n) memcpy(s->at->x, s->result->best->x, (size_t)s->lsq->n * sizeof(double));
  local_clamp(s->lsq, s->at->x);
  LsqEnd e = local_eval(s->lsq, s->at, HUGE_VAL, s->result);
  if (local_ends_at_start(e, s->at, s->options, &how)) end(s, how);
  lsq_point_copy(s->lowest, s->at, s->lsq->n);
}

// Goes on from result->best; counts go on, too.
static void run(const Lsq *lsq, const LocalOptions *options, LocalResult *result, bool search) {
  Arena *a = arena_new();
  GaussNewton *s = gauss_newton_new(a, lsq, options, result);
  start(s);
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
  // A search that converged stands for where it converged to, whether or not it came by something lower.
  const LsqPoint *found = local_end_converged(result->end) ? s->at : s->lowest;
  lsq_point_copy(result->best, found, lsq->n);
  arena_free(a);
}

void local_gauss_newton(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  bool natural = options->fit && options->fit->line_search == LINE_SEARCH_NATURAL;
  result->iterations = result->evaluations = 0;
  if (natural && lsq->residuals && gauss_newton_natural(lsq, options, result)) return;
  run(lsq, options, result, natural || options->line_search);
}
