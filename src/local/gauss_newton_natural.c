// Damped Gauss-Newton: Deuflhard, Newton Methods for Nonlinear Problems (2004), section 4.3. A step counts as good when what
// the old Jacobian would still correct at the new point is smaller than the step itself: a test in the numbers that are
// searched, whatever the residuals are multiplied with. Damping comes from the curvature that such corrections show. Where
// it would have to be too strong, the rank of the Jacobian is lowered instead, and the step becomes shorter and safer.
// Bounds: every correction is the best one inside them.
#include "local/gauss_newton.h"

#include <math.h>
#include <string.h>

#include "local/descent.h"
#include "num/pivot_qr.h"

static const double FIRST_DAMPING = 1, LEAST_DAMPING = 1e-4;
static const double DEPENDENT =
    1e-12; // of the largest: what is left of a column that has no meaning
// Steps in a row: whole ones that do not become shorter, and any after which neither objective nor step have become smaller.
enum { NOT_CONTRACTING = 3, LOOK_BACK = 25 };

typedef struct Natural {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *lowest;
  double *r, *J;             // at the point; J until a trial needs its place
  double *trial_x, *trial_r; // and at the trial
  double *turned;            // Q'r of one of them
  double *size;              // what a change of each number is compared with
  PivotQr *qr;               // of J, columns times size
  double *R, *Qr;            // its triangle and the head of Q'r, cut at the rank
  double *slope, *norm;
  double *low, *high, *ones, *e; // of a linear model, in the order of the pivots
  LinearWork *linear;
  int rank, full_rank;
  double gain;                      // that the step of full rank promises
  double *d, *bar;                  // step, and the simplified correction after it
  double *last_d;                   // the step before
  double damping, last_damping;     // of the step, of the step before
  double curvature;                 // by the last trial: 1/|d| for a step that needs no damping
  double seen;                      // objective at the start
  double old_objective, old_length; // when it looked back last
  int stiff;                        // whole steps in a row that were no shorter than those before
  bool has_slopes;                  // of the trial
  bool ended, incompatible;
} Natural;

static Natural *natural_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                            LocalResult *result) {
  int n = lsq->n, rows = lsq->rows > n ? lsq->rows : n;
  Natural *s = ARENA_NEW(a, Natural);
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, n);
  s->lowest = lsq_point_new(a, n);
  s->qr = pivot_qr_new(a, rows, n);
  s->linear = linear_new(a, n);
  double **tall[] = {&s->r, &s->trial_r, &s->turned};
  for (size_t i = 0; i < sizeof tall / sizeof *tall; i++) *tall[i] = ARENA_ARRAY(a, double, rows);
  double **vectors[] = {&s->trial_x, &s->size, &s->Qr, &s->slope, &s->norm, &s->low,
                        &s->high,    &s->ones, &s->e,  &s->d,     &s->bar,  &s->last_d};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  s->J = ARENA_ARRAY(a, double, (size_t)n *(size_t)lsq->rows + 1);
  s->R = ARENA_ARRAY(a, double, (size_t)n *(size_t)n + 1);
  for (int i = 0; i < n; i++) s->ones[i] = 1;
  s->old_objective = s->old_length = HUGE_VAL;
  return s;
}

static void end(Natural *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static LsqEnd evaluate(Natural *s, const double *x, double *r, double *J, double *objective) {
  size_t rows = (size_t)s->lsq->rows, all = J ? rows * (size_t)s->lsq->n : 0;
  double sum = 0, finite = 0;
  s->result->evaluations++;
  LsqEnd how = s->lsq->residuals(s->lsq->self, x, r, J);
  *objective = HUGE_VAL;
  if (how != LSQ_DONE) return how;
  for (size_t k = 0; k < rows; k++) sum += r[k] * r[k] / 2;
  for (size_t k = 0; k < all; k++) finite += J[k] * 0;
  if (!isfinite(sum) || finite != 0) return LSQ_FAILED;
  *objective = sum;
  return LSQ_DONE;
}

// ---------------------------------------------------------------- linear models

// Length in numbers relative to their sizes.
static double length(const Natural *s, const double *d) {
  double sum = 0;
  for (int i = 0; i < s->lsq->n; i++) sum += d[i] / s->size[i] * (d[i] / s->size[i]);
  return sqrt(sum);
}

static void factor(Natural *s) {
  int n = s->lsq->n, rows = s->lsq->rows;
  const LsqPoint *p = s->at;
  memset(s->qr->A, 0, (size_t)n * (size_t)s->qr->rows * sizeof *s->qr->A);
  for (int i = 0; i < n; i++) {
    const double *from = s->J + (size_t)i * (size_t)rows;
    double *to = s->qr->A + (size_t)i * (size_t)s->qr->rows, dot = 0, squares = 0;
    s->size[i] = local_size(s->lsq, p->x, i);
    for (int k = 0; k < rows; k++) {
      dot += from[k] * s->r[k];
      squares += from[k] * from[k];
      to[k] = from[k] * s->size[i];
    }
    s->slope[i] = dot;
    s->norm[i] = sqrt(squares);
  }
  pivot_qr_factor(s->qr);
  s->full_rank = pivot_qr_rank(s->qr, DEPENDENT);
}

// The triangle, without what lies beyond the rank.
static void cut(Natural *s, int rank) {
  size_t n = (size_t)s->lsq->n;
  pivot_qr_triangle(s->qr, s->R);
  memset(s->R + (size_t)rank * n, 0, (n - (size_t)rank) * n * sizeof *s->R);
  s->rank = rank;
}

// The best change of x inside the bounds by the linear model with these residuals: the shortest one where the rank is lower.
static void correct(Natural *s, const double *x, const double *r, double *d) {
  int n = s->lsq->n, rows = s->lsq->rows;
  memcpy(s->turned, r, (size_t)rows * sizeof *r);
  for (int k = rows; k < s->qr->rows; k++) s->turned[k] = 0;
  pivot_qr_turn(s->qr, s->turned);
  for (int k = 0; k < n; k++) {
    int i = s->qr->pivot[k];
    s->Qr[k] = k < s->rank ? s->turned[k] : 0;
    s->low[k] = (s->lsq->lower[i] - x[i]) / s->size[i];
    s->high[k] = (s->lsq->upper[i] - x[i]) / s->size[i];
  }
  LinearModel m = {n, s->R, s->Qr, s->ones, s->low, s->high};
  linear_boxed_step(s->linear, &m, linear_least_damping(&m), s->e);
  for (int k = 0; k < n; k++) d[s->qr->pivot[k]] = s->e[k] * s->size[s->qr->pivot[k]];
  if (d == s->d && s->rank == s->full_rank) s->gain = linear_gain(&m, s->e);
}

// ---------------------------------------------------------------- damping

// From how the last correction differs from the step that a new Jacobian gives.
static double predicted_damping(const Natural *s) {
  double apart = 0, bar = length(s, s->bar), now = length(s, s->d);
  if (!s->result->iterations) return FIRST_DAMPING;
  for (int i = 0; i < s->lsq->n; i++) {
    double part = (s->bar[i] - s->d[i]) / s->size[i];
    apart += part * part;
  }
  double most = length(s, s->last_d) * bar * s->last_damping, least = sqrt(apart) * now;
  return most >= least ? 1 : fmax(most / least, LEAST_DAMPING);
}

// The correction after a part of the step would be the rest of it, were it not for curvature.
static double corrected_damping(Natural *s) {
  double rest = 0, whole = length(s, s->d), part = s->damping;
  for (int i = 0; i < s->lsq->n; i++) {
    double apart = (s->bar[i] - (1 - part) * s->d[i]) / s->size[i];
    rest += apart * apart;
  }
  rest = sqrt(rest);
  s->curvature = 2 * rest / (part * part * whole * whole);
  return rest > 0 ? part * part * whole / (2 * rest) : HUGE_VAL;
}

static bool promises_nothing(const Natural *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  double rounding = fmax(1e-12 * V, V < 1e-14 * s->seen ? 1e-16 * s->seen : 0);
  return s->gain <= fmax(2 * sqrt(V * floor) + floor, rounding);
}

// Shorter steps have become too short: fewer directions.
static void lower_rank(Natural *s) {
  if (s->rank <= 1) {
    end(s, s->gain <= 1e-3 * s->at->objective ? LOCAL_REDUCTION_END : LOCAL_NO_DESCENT_END);
    return;
  }
  cut(s, s->rank - 1);
  correct(s, s->at->x, s->r, s->d);
  double need = s->curvature * length(s, s->d);
  s->damping = need > 1 ? fmax(1 / need, LEAST_DAMPING) : 1;
}

static void shorten(Natural *s, double to) {
  if (promises_nothing(s)) {
    end(s, LOCAL_REDUCTION_END);
    return;
  }
  bool least = s->damping <= LEAST_DAMPING;
  s->damping = fmax(fmin(to, s->damping / 2), LEAST_DAMPING);
  if (least) lower_rank(s);
}

// ---------------------------------------------------------------- steps

// Whole steps are mostly good: slopes come along.
static LsqEnd try_it(Natural *s, double *objective) {
  s->has_slopes = s->damping == 1 && s->rank == s->full_rank;
  for (int i = 0; i < s->lsq->n; i++) s->trial_x[i] = s->at->x[i] + s->damping * s->d[i];
  local_clamp(s->lsq, s->trial_x);
  return evaluate(s, s->trial_x, s->trial_r, s->has_slopes ? s->J : NULL, objective);
}

// Whole steps that do not become shorter, or a search that gets nowhere: the residuals are too large.
static void watch_progress(Natural *s) {
  double step = length(s, s->d), V = s->at->objective;
  bool whole = s->damping == 1 && s->last_damping == 1 && s->rank == s->full_rank;
  bool longer = whole && s->result->iterations && step >= length(s, s->last_d);
  s->stiff = longer ? s->stiff + 1 : 0;
  s->incompatible = s->stiff >= NOT_CONTRACTING;
  if ((s->result->iterations + 1) % LOOK_BACK) return;
  s->incompatible = s->incompatible || (V >= s->old_objective && step >= s->old_length);
  s->old_objective = V;
  s->old_length = step;
}

static void note_point(Natural *s) {
  LocalEnd how;
  if (s->at->objective < s->lowest->objective) lsq_point_copy(s->lowest, s->at, s->lsq->n);
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (local_is_good(s->at, s->options, &how)) end(s, how);
}

// false: the slopes cannot be computed there.
static bool move(Natural *s, double objective) {
  int n = s->lsq->n;
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
  note_point(s);
  return true;
}

// true: the next iteration begins, at a new point or at none.
static bool try_step(Natural *s, bool *raised) {
  double objective;
  LsqEnd how = try_it(s, &objective);
  if (how == LSQ_STOP) end(s, LOCAL_STOPPED_END);
  if (s->ended) return true;
  if (how != LSQ_DONE) {
    shorten(s, s->damping / 4);
    return s->ended;
  }
  correct(s, s->trial_x, s->trial_r, s->bar);
  double to = corrected_damping(s);
  if (length(s, s->bar) > (1 - s->damping / 4) * length(s, s->d)) {
    shorten(s, to);
    return s->ended;
  }
  if (fmin(to, 1) >= 4 * s->damping && !*raised) {
    s->damping = fmin(to, 1);
    *raised = true;
    return false;
  }
  if (move(s, objective) || s->ended) return true;
  shorten(s, s->damping / 4);
  return s->ended;
}

static bool has_converged(Natural *s) {
  const LocalOptions *o = s->options;
  if (local_cosine(s->lsq, s->at, s->slope, s->norm) <= o->gradient_tol)
    end(s, LOCAL_GRADIENT_END);
  else if (local_is_small(s->lsq, s->at->x, s->d, o->step_tol))
    end(s, LOCAL_STEP_END);
  else if (s->gain <= o->reduction_tol * s->at->objective)
    end(s, LOCAL_REDUCTION_END);
  else if (s->result->iterations >= o->max_iterations)
    end(s, LOCAL_ITERATIONS_END);
  return s->ended;
}

static void iterate(Natural *s) {
  bool raised = false;
  factor(s);
  cut(s, s->full_rank);
  correct(s, s->at->x, s->r, s->d);
  if (has_converged(s)) return;
  s->damping = predicted_damping(s);
  while (!try_step(s, &raised)) continue;
}

static void start(Natural *s) {
  LocalEnd how;
  LsqPoint *p = s->at;
  if (s->lsq->n) memcpy(p->x, s->result->best->x, (size_t)s->lsq->n * sizeof *p->x);
  local_clamp(s->lsq, p->x);
  LsqEnd e = evaluate(s, p->x, s->r, s->J, &p->objective);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, p->x))
    e = evaluate(s, p->x, s->r, s->J, &p->objective);
  if (local_ends_at_start(e, p, s->options, &how)) end(s, how);
  s->seen = p->objective;
  lsq_point_copy(s->lowest, p, s->lsq->n);
}

bool gauss_newton_natural(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  Natural *s = natural_new(a, lsq, options, result);
  start(s);
  while (!s->ended && !s->incompatible) iterate(s);
  bool ended = s->ended, here = ended && local_end_converged(result->end);
  lsq_point_copy(result->best, here ? s->at : s->lowest, lsq->n);
  arena_free(a);
  return ended;
}
