// Damped Gauss-Newton with the natural monotonicity test and a rank strategy: Deuflhard, Newton Methods for Nonlinear
// Problems (2004), section 4.3. With J+ the pseudoinverse at the point, a trial x + lambda d, d = -J+ r(x), is accepted when
// the simplified correction bar = -J+ r(x + lambda d) is shorter than the step:
//   |bar| <= (1 - lambda/4) |d|.
// This is a test in the unknowns, whatever the residuals are multiplied with. lambda comes from the curvature that such
// corrections show. Where lambda would have to be too small, the rank of J is lowered instead, and the step becomes shorter
// and safer. Bounds: every correction is the best one inside them.
#include "local/gauss_newton_natural.h"

#include <math.h>
#include <string.h>

#include "local/common.h"
#include "local/linear.h"
#include "num/pivot_qr.h"

static const double FIRST_DAMPING = 1, LEAST_DAMPING = 1e-4; // lambda
// A column of which no more than this part is independent of the others does not count for the rank.
static const double DEPENDENT = 1e-12;
// Steps in a row: whole ones that do not become shorter, and any after which neither objective nor step have become smaller.
enum { NOT_CONTRACTING = 3, LOOK_BACK = 25 };

// J at the accepted point, its columns in units of `size`, as a triangle with pivots.
typedef struct NaturalModel {
  double *size;  // what a change of each unknown is compared with
  PivotQr *qr;   // of J, columns times size
  double *R;     // its triangle, cut at the rank
  int rank;      // now
  int full_rank; // of J
  double *slope, *norm;
  // scratch of a correction: Q'r, its head, bounds and step in the order of the pivots
  double *turned, *Qr, *low, *high, *ones, *e;
  LinearWork *linear;
} NaturalModel;

typedef struct Natural {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *lowest;
  double *r, *J;             // at the point; J until a trial needs its place
  double *trial_x, *trial_r; // at the trial
  bool has_slopes;           // J is that of the trial
  NaturalModel model;
  // the step
  double *d, *bar;  // Gauss-Newton step, and the simplified correction after it
  double damping;   // lambda of the step
  double gain;      // that the step of full rank promises
  double curvature; // by the last trial: 1/|d| for a step that needs no damping
  // what is remembered of earlier steps
  double *last_d, last_damping;     // the step before
  double seen;                      // objective at the start
  double old_objective, old_length; // when it looked back last
  int stiff;                        // whole steps in a row that were no shorter than those before
  bool ended, incompatible;
} Natural;

static Natural *natural_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                            LocalResult *result) {
  int n = lsq->n, rows = lsq->rows > n ? lsq->rows : n;
  Natural *s = ARENA_NEW(a, Natural);
  NaturalModel *m = &s->model;
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, n);
  s->lowest = lsq_point_new(a, n);
  m->qr = pivot_qr_new(a, rows, n);
  m->linear = linear_new(a, n);
  double **tall[] = {&s->r, &s->trial_r, &m->turned};
  for (size_t i = 0; i < sizeof tall / sizeof *tall; i++) *tall[i] = ARENA_ARRAY(a, double, rows);
  double **vectors[] = {&s->trial_x, &m->size, &m->Qr, &m->slope, &m->norm, &m->low,
                        &m->high,    &m->ones, &m->e,  &s->d,     &s->bar,  &s->last_d};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  s->J = ARENA_ARRAY(a, double, (size_t)n *(size_t)lsq->rows + 1);
  m->R = ARENA_ARRAY(a, double, (size_t)n *(size_t)n + 1);
  for (int i = 0; i < n; i++) m->ones[i] = 1;
  s->old_objective = s->old_length = HUGE_VAL;
  return s;
}

static void end(Natural *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static LsqEnd evaluate(Natural *s, const double *x, double *r, double *J, double *objective) {
  return local_residuals(s->lsq, x, r, J, objective, s->result);
}

// ---------------------------------------------------------------- the model

// |d|, each unknown relative to its size.
static double length(const Natural *s, const double *d) {
  double sum = 0;
  for (int i = 0; i < s->lsq->n; i++) {
    double part = d[i] / s->model.size[i];
    sum += part * part;
  }
  return sqrt(sum);
}

static void factor(Natural *s) {
  int n = s->lsq->n, rows = s->lsq->rows;
  NaturalModel *m = &s->model;
  memset(m->qr->A, 0, (size_t)n * (size_t)m->qr->rows * sizeof *m->qr->A);
  for (int i = 0; i < n; i++) {
    const double *from = s->J + (size_t)i * (size_t)rows;
    double *to = m->qr->A + (size_t)i * (size_t)m->qr->rows, dot = 0, squares = 0;
    m->size[i] = local_size(s->lsq, s->at->x, i);
    for (int k = 0; k < rows; k++) {
      dot += from[k] * s->r[k];
      squares += from[k] * from[k];
      to[k] = from[k] * m->size[i];
    }
    m->slope[i] = dot;
    m->norm[i] = sqrt(squares);
  }
  pivot_qr_factor(m->qr);
  m->full_rank = pivot_qr_rank(m->qr, DEPENDENT);
}

// The triangle, without what lies beyond the rank.
static void cut(Natural *s, int rank) {
  size_t n = (size_t)s->lsq->n;
  NaturalModel *m = &s->model;
  pivot_qr_triangle(m->qr, m->R);
  memset(m->R + (size_t)rank * n, 0, (n - (size_t)rank) * n * sizeof *m->R);
  m->rank = rank;
}

// d = -J+ r inside the bounds of x: the shortest one where the rank is lower.
static void correct(Natural *s, const double *x, const double *r, double *d) {
  int n = s->lsq->n, rows = s->lsq->rows;
  NaturalModel *m = &s->model;
  memcpy(m->turned, r, (size_t)rows * sizeof *r);
  for (int k = rows; k < m->qr->rows; k++) m->turned[k] = 0;
  pivot_qr_turn(m->qr, m->turned);
  for (int k = 0; k < n; k++) {
    int i = m->qr->pivot[k];
    m->Qr[k] = k < m->rank ? m->turned[k] : 0;
    m->low[k] = (s->lsq->lower[i] - x[i]) / m->size[i];
    m->high[k] = (s->lsq->upper[i] - x[i]) / m->size[i];
  }
  LinearModel linear = {n, m->R, m->Qr, m->ones, m->low, m->high};
  linear_boxed_step(m->linear, &linear, linear_least_damping(&linear), m->e);
  for (int k = 0; k < n; k++) d[m->qr->pivot[k]] = m->e[k] * m->size[m->qr->pivot[k]];
  if (d == s->d && m->rank == m->full_rank) s->gain = linear_gain(&linear, m->e);
}

// ---------------------------------------------------------------- damping

// From how the last correction differs from the step that a new Jacobian gives.
static double predicted_damping(const Natural *s) {
  double apart = 0, bar = length(s, s->bar), now = length(s, s->d);
  if (!s->result->iterations) return FIRST_DAMPING;
  for (int i = 0; i < s->lsq->n; i++) {
    double part = (s->bar[i] - s->d[i]) / s->model.size[i];
    apart += part * part;
  }
  double most = length(s, s->last_d) * bar * s->last_damping, least = sqrt(apart) * now;
  return most >= least ? 1 : fmax(most / least, LEAST_DAMPING);
}

// Without curvature, the correction after a part of the step would be the rest of the step.
static double corrected_damping(Natural *s) {
  double rest = 0, whole = length(s, s->d), part = s->damping;
  for (int i = 0; i < s->lsq->n; i++) {
    double apart = (s->bar[i] - (1 - part) * s->d[i]) / s->model.size[i];
    rest += apart * apart;
  }
  rest = sqrt(rest);
  s->curvature = 2 * rest / (part * part * whole * whole);
  return rest > 0 ? part * part * whole / (2 * rest) : HUGE_VAL;
}

// Shortens the step to the part `to`. A step that promises nothing but errors of the simulation ends the search; one that
// has become too short gets fewer directions.
static void shorten(Natural *s, double to) {
  double floor = s->lsq->noise, V = s->at->objective;
  double rounding = fmax(1e-12 * V, V < 1e-14 * s->seen ? 1e-16 * s->seen : 0);
  if (s->gain <= fmax(2 * sqrt(V * floor) + floor, rounding)) {
    end(s, LOCAL_REDUCTION_END);
    return;
  }
  bool least = s->damping <= LEAST_DAMPING;
  s->damping = fmax(fmin(to, s->damping / 2), LEAST_DAMPING);
  if (!least) return;
  if (s->model.rank <= 1) {
    end(s, s->gain <= 1e-3 * V ? LOCAL_REDUCTION_END : LOCAL_NO_DESCENT_END);
    return;
  }
  cut(s, s->model.rank - 1);
  correct(s, s->at->x, s->r, s->d);
  double need = s->curvature * length(s, s->d);
  s->damping = need > 1 ? fmax(1 / need, LEAST_DAMPING) : 1;
}

// ---------------------------------------------------------------- steps

// Whole steps that do not become shorter, or a search that gets nowhere: the residuals are too large.
static void watch_progress(Natural *s) {
  double step = length(s, s->d), V = s->at->objective;
  bool whole = s->damping == 1 && s->last_damping == 1 && s->model.rank == s->model.full_rank;
  bool longer = whole && s->result->iterations && step >= length(s, s->last_d);
  s->stiff = longer ? s->stiff + 1 : 0;
  s->incompatible = s->stiff >= NOT_CONTRACTING;
  if ((s->result->iterations + 1) % LOOK_BACK) return;
  s->incompatible = s->incompatible || (V >= s->old_objective && step >= s->old_length);
  s->old_objective = V;
  s->old_length = step;
}

// false: the slopes cannot be computed there.
static bool move(Natural *s, double objective) {
  int n = s->lsq->n;
  LocalEnd good;
  LsqEnd how = s->has_slopes ? LSQ_DONE : evaluate(s, s->trial_x, s->trial_r, s->J, &objective);
  if (how == LSQ_STOP) end(s, LOCAL_STOPPED_END);
  if (how != LSQ_DONE) return false;
  watch_progress(s);
  memcpy(s->at->x, s->trial_x, (size_t)n * sizeof *s->d);
  memcpy(s->last_d, s->d, (size_t)n * sizeof *s->d);
  double *r = s->r;
  s->r = s->trial_r;
  s->trial_r = r;
  s->at->objective = objective;
  s->last_damping = s->damping;
  s->result->iterations++;
  if (objective < s->lowest->objective) lsq_point_copy(s->lowest, s->at, n);
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (local_is_good(s->at, s->options, &good)) end(s, good);
  return true;
}

static bool has_converged(Natural *s) {
  const LocalOptions *o = s->options;
  if (local_cosine(s->lsq, s->at, s->model.slope, s->model.norm) <= o->gradient_tol)
    end(s, LOCAL_GRADIENT_END);
  else if (local_is_small(s->lsq, s->at->x, s->d, o->step_tol))
    end(s, LOCAL_STEP_END);
  else if (s->gain <= o->reduction_tol * s->at->objective)
    end(s, LOCAL_REDUCTION_END);
  else if (s->result->iterations >= o->max_iterations)
    end(s, LOCAL_ITERATIONS_END);
  return s->ended;
}

// One accepted step, or the end.
static void iterate(Natural *s) {
  const NaturalModel *m = &s->model;
  factor(s);
  cut(s, m->full_rank);
  correct(s, s->at->x, s->r, s->d);
  if (has_converged(s)) return;
  s->damping = predicted_damping(s);
  for (bool raised = false; !s->ended;) {
    double objective;
    s->has_slopes = s->damping == 1 && m->rank == m->full_rank; // mostly good: slopes come along
    for (int i = 0; i < s->lsq->n; i++) s->trial_x[i] = s->at->x[i] + s->damping * s->d[i];
    local_clamp(s->lsq, s->trial_x);
    LsqEnd how = evaluate(s, s->trial_x, s->trial_r, s->has_slopes ? s->J : NULL, &objective);
    if (how == LSQ_STOP) {
      end(s, LOCAL_STOPPED_END);
      return;
    }
    if (how != LSQ_DONE) {
      shorten(s, s->damping / 4);
      continue;
    }
    correct(s, s->trial_x, s->trial_r, s->bar);
    double to = corrected_damping(s);
    if (length(s, s->bar) > (1 - s->damping / 4) * length(s, s->d)) {
      shorten(s, to);
    } else if (fmin(to, 1) >= 4 * s->damping && !raised) {
      s->damping = fmin(to, 1);
      raised = true;
    } else {
      if (move(s, objective)) return;
      if (!s->ended) shorten(s, s->damping / 4);
    }
  }
}

bool gauss_newton_natural(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  Natural *s = natural_new(a, lsq, options, result);
  LsqPoint *p = s->at;
  LocalEnd how;
  if (lsq->n) memcpy(p->x, result->best->x, (size_t)lsq->n * sizeof *p->x);
  local_clamp(lsq, p->x);
  LsqEnd e = evaluate(s, p->x, s->r, s->J, &p->objective);
  if (e == LSQ_FAILED && local_move_off_bounds(lsq, p->x))
    e = evaluate(s, p->x, s->r, s->J, &p->objective);
  if (local_ends_at_start(e, p, options, &how)) end(s, how);
  s->seen = p->objective;
  lsq_point_copy(s->lowest, p, lsq->n);
  while (!s->ended && !s->incompatible) iterate(s);
  bool ended = s->ended, converged = ended && local_end_converged(result->end);
  lsq_point_copy(result->best, converged ? s->at : s->lowest, lsq->n);
  arena_free(a);
  return ended;
}
