// Levenberg-Marquardt by lmder of MINPACK (Moré, in Lecture Notes in Mathematics 630 (1978) 105), as cminpack has it: each step
// minimises |r + J d| with |D d| at most a radius that follows the ratio of actual to predicted reduction. lmder knows no
// bounds: residuals are taken at the nearest point inside them, and an unknown that the slope pushes out of its bound has a
// column of zeros. So its path is that of MINPACK until a bound is met.
//
// lmder calls `answer` for residuals (of a trial) and for J (of a point it has accepted); this is how acceptance is seen.
#include <limits.h>
#include <math.h>
#include <string.h>

#include <cminpack-1/cminpack.h>

#include "local/common.h"
#include "local/linear.h"
#include "num/qr.h"

static const double FAR = 1e100; // residuals where the model cannot be simulated
enum { LEVEL_TRIALS = 3 };       // in a row that differ by nothing but errors of the simulation

typedef struct Lmder {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  // what lmder sees
  int rows;            // at least as many as unknowns
  int *unknown, count; // those that may move
  double *u;           // their values; lmder may put them beyond the bounds
  // the accepted point and the trial
  LsqPoint *at;
  double *r, *J; // at the point; J when it has slopes
  double *slope, *norm;
  double *trial, *trial_r, trial_objective;
  // scratch
  double *x; // of a call, inside the bounds
  QrSum *triangle;
  double **column;
  LinearWork *linear;
  // progress
  int level;        // trials in a row that are as good as the accepted point
  bool again;       // an unknown wants to come back from beyond its bound
  double first;     // objective of the start
  double restarted; // objective when lmder was called last
  bool ended;
} Lmder;

static Lmder *lmder_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                        LocalResult *result) {
  int n = lsq->n;
  Lmder *s = ARENA_NEW(a, Lmder);
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->unknown = ARENA_ARRAY(a, int, n + 1);
  for (int i = 0; i < n; i++)
    if (lsq->lower[i] < lsq->upper[i]) s->unknown[s->count++] = i;
  s->rows = lsq->rows > s->count ? lsq->rows : s->count;
  s->at = lsq_point_new(a, n);
  s->r = ARENA_ARRAY(a, double, lsq->rows + 1);
  s->trial_r = ARENA_ARRAY(a, double, lsq->rows + 1);
  s->J = ARENA_ARRAY(a, double, (size_t)n * lsq->rows + 1);
  double **vectors[] = {&s->trial, &s->x, &s->u, &s->slope, &s->norm};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  s->triangle = qr_sum_new(a, n);
  s->column = ARENA_ARRAY(a, double *, n + 1);
  for (int i = 0; i <= n; i++) s->column[i] = ARENA_ARRAY(a, double, lsq->rows + 1);
  s->linear = linear_new(a, n);
  return s;
}

static void end(Lmder *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static bool same(const Lmder *s, const double *x, const double *y) {
  return s->lsq->n == 0 || memcmp(x, y, (size_t)s->lsq->n * sizeof *x) == 0;
}

static void copy(double *to, const double *from, int count) {
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

// ---------------------------------------------------------------- evaluations

static LsqEnd evaluate(Lmder *s, const double *x, double *r, double *J, double *objective) {
  return local_residuals(s->lsq, x, r, J, objective, s->result);
}

// R, Qr, slope and norms of the accepted point from its r and J.
static void take_triangle(Lmder *s) {
  int n = s->lsq->n, rows = s->lsq->rows;
  for (int i = 0; i < n; i++) copy(s->column[i], s->J + (size_t)i * (size_t)rows, rows);
  copy(s->column[n], s->r, rows);
  qr_sum_clear(s->triangle);
  qr_sum_add(s->triangle, s->column, rows);
  for (int i = 0; i < n; i++) {
    const double *row = s->triangle->R + (size_t)i * (size_t)(n + 1);
    for (int j = 0; j < n; j++) s->at->R[i * n + j] = j < i ? 0 : row[j];
    s->at->Qr[i] = row[n];
  }
  linear_slope(n, s->at->R, s->at->Qr, s->slope, s->norm);
  s->at->has_slopes = true;
}

// J of the accepted point, unless it is known.
static LsqEnd find_slopes(Lmder *s) {
  double objective;
  if (s->at->has_slopes) return LSQ_DONE;
  LsqEnd how = evaluate(s, s->at->x, s->r, s->J, &objective);
  if (how == LSQ_DONE) take_triangle(s);
  return how;
}

// ---------------------------------------------------------------- what lmder asks for

// x: what lmder asks for, inside the bounds.
static void set_point(Lmder *s, const double *u) {
  copy(s->x, s->at->x, s->lsq->n);
  for (int k = 0; k < s->count; k++) s->x[s->unknown[k]] = u[k];
  local_clamp(s->lsq, s->x);
}

// Rows beyond those of the residuals are zero.
static void hand_over(const Lmder *s, const double *r, double *out) {
  copy(out, r, s->lsq->rows);
  for (int k = s->lsq->rows; k < s->rows; k++) out[k] = 0;
}

static void accept(Lmder *s) {
  LocalEnd how;
  double *r = s->r;
  s->r = s->trial_r;
  s->trial_r = r;
  copy(s->at->x, s->trial, s->lsq->n);
  s->at->objective = s->trial_objective;
  s->at->has_slopes = false;
  s->result->iterations++;
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (local_is_good(s->at, s->options, &how)) end(s, how);
}

// What errors of the simulation change the objective by.
static double noise(const Lmder *s) {
  double floor = s->lsq->noise;
  return 2 * sqrt(s->at->objective * floor) + floor;
}

// Residuals of a trial.
static void give_value(Lmder *s, double *out) {
  if (same(s, s->x, s->at->x)) {
    hand_over(s, s->r, out);
    return;
  }
  copy(s->trial, s->x, s->lsq->n);
  LsqEnd how = evaluate(s, s->trial, s->trial_r, NULL, &s->trial_objective);
  if (how == LSQ_STOP) {
    end(s, LOCAL_STOPPED_END);
  } else if (how != LSQ_DONE) {
    for (int k = 0; k < s->rows; k++) out[k] = FAR;
  } else if (s->trial_objective <= s->options->target) {
    accept(s);
  } else {
    hand_over(s, s->trial_r, out);
    double apart = fabs(s->trial_objective - s->at->objective), means = noise(s);
    s->level = means > 0 && apart <= means ? s->level + 1 : 0;
    if (s->level >= LEVEL_TRIALS) end(s, LOCAL_REDUCTION_END);
  }
}

// At a bound with the slope pointing out of it.
static bool is_held(const Lmder *s, int i) {
  const double *x = s->at->x;
  return (x[i] <= s->lsq->lower[i] && s->slope[i] >= 0) ||
         (x[i] >= s->lsq->upper[i] && s->slope[i] <= 0);
}

// The Jacobian: lmder has accepted this point.
static void give_slopes(Lmder *s, const double *u, double *out) {
  if (!same(s, s->x, s->at->x)) accept(s);
  if (s->ended) return;
  if (s->result->iterations >= s->options->max_iterations) {
    end(s, LOCAL_ITERATIONS_END);
    return;
  }
  LsqEnd how = find_slopes(s);
  if (how != LSQ_DONE) {
    end(s, how == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_FAILED_END);
    return;
  }
  size_t rows = (size_t)s->rows, own = (size_t)s->lsq->rows;
  memset(out, 0, rows * (size_t)s->count * sizeof *out);
  for (int k = 0; k < s->count; k++) {
    int i = s->unknown[k];
    if (is_held(s, i)) continue;
    s->again = s->again || u[k] != s->at->x[i]; // beyond its bound, and wants to come back
    copy(out + (size_t)k * rows, s->J + (size_t)i * own, s->lsq->rows);
  }
}

// lmder's callback: what == 1 asks for r, 2 for J; a negative return ends lmder.
static int answer(void *self, int m, int n, const double *u, double *r, double *J, int stride,
                  int what) {
  Lmder *s = self;
  (void)m, (void)n, (void)stride;
  set_point(s, u);
  if (what == 1)
    give_value(s, r);
  else if (what == 2)
    give_slopes(s, u, J);
  return s->ended || s->again ? -1 : 0;
}

// ---------------------------------------------------------------- how it ends

// Steps became small because all were rejected, although there is something to gain.
static bool cannot_descend(Lmder *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  if (!p->has_slopes) return false;
  double *scale = s->norm, *low = s->x, *high = s->trial, *d = s->u;
  for (int i = 0; i < n; i++) {
    scale[i] = scale[i] > 0 ? scale[i] : 1;
    low[i] = s->lsq->lower[i] - p->x[i];
    high[i] = s->lsq->upper[i] - p->x[i];
  }
  LinearModel m = {n, p->R, p->Qr, scale, low, high};
  linear_boxed_step(s->linear, &m, linear_least_damping(&m), d);
  // A fit that explains all but 1e-14 of the squares it began with has come down to errors of rounding.
  double level = fmax(noise(s), fmax(1e-3 * p->objective, 1e-14 * s->first));
  return linear_gain(&m, d) > level;
}

static LocalEnd end_of(int info) {
  switch (info) {
  case 2:
  case 7: return LOCAL_STEP_END;
  case 4:
  case 8: return LOCAL_GRADIENT_END;
  case 5: return LOCAL_ITERATIONS_END;
  default: return LOCAL_REDUCTION_END;
  }
}

// An unknown is at its bound, although the slope leads inside.
static bool wants_inside(Lmder *s) {
  bool at_bound = false, wants = false;
  const LsqPoint *p = s->at;
  for (int k = 0; k < s->count; k++) {
    int i = s->unknown[k];
    at_bound = at_bound || p->x[i] <= s->lsq->lower[i] || p->x[i] >= s->lsq->upper[i];
  }
  if (!at_bound || find_slopes(s) != LSQ_DONE) return false;
  double length = sqrt(2 * p->objective);
  for (int k = 0; k < s->count; k++) {
    int i = s->unknown[k];
    bool bound = p->x[i] <= s->lsq->lower[i] || p->x[i] >= s->lsq->upper[i];
    wants = wants || (bound && !is_held(s, i) &&
                      fabs(s->slope[i]) > s->options->gradient_tol * s->norm[i] * length);
  }
  return wants;
}

static void finish(Lmder *s, int info) {
  set_point(s, s->u);
  bool moved = !same(s, s->x, s->at->x) && same(s, s->x, s->trial);
  if (moved) accept(s);
  if (s->ended) return;
  LocalEnd how = end_of(info);
  bool progress = s->at->objective < s->restarted;
  if (local_end_converged(how) && progress && wants_inside(s)) return;
  if (how == LOCAL_STEP_END && !moved && cannot_descend(s)) how = LOCAL_NO_DESCENT_END;
  end(s, how);
}

static void run(Lmder *s) {
  Arena *a = arena_new();
  size_t n = (size_t)s->count, m = (size_t)s->rows;
  double *r = ARENA_ARRAY(a, double, m), *J = ARENA_ARRAY(a, double, m *n);
  double *diag = ARENA_ARRAY(a, double, 5 * n), *qtf = diag + n, *w = diag + 2 * n;
  double *rest = ARENA_ARRAY(a, double, m);
  int *pivot = ARENA_ARRAY(a, int, n), values, slopes;
  const LocalOptions *o = s->options;
  enum { SCALE_ITSELF = 1, QUIET = 0 };
  const double first_step = 100; // times the scaled length of the start: MINPACK's own
  while (!s->ended) {
    s->again = false;
    s->restarted = s->at->objective;
    for (int k = 0; k < s->count; k++) s->u[k] = s->at->x[s->unknown[k]];
    int info = lmder(answer, s, s->rows, s->count, s->u, r, J, s->rows, o->reduction_tol,
                     o->step_tol, o->gradient_tol, INT_MAX, diag, SCALE_ITSELF, first_step, QUIET,
                     &values, &slopes, pivot, qtf, w, w + n, w + 2 * n, rest);
    if (!s->ended && !s->again) finish(s, info);
  }
  arena_free(a);
}

static void start(Lmder *s) {
  LocalEnd how;
  LsqPoint *p = s->at;
  copy(p->x, s->result->best->x, s->lsq->n);
  local_clamp(s->lsq, p->x);
  LsqEnd e = evaluate(s, p->x, s->r, s->J, &p->objective);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, p->x))
    e = evaluate(s, p->x, s->r, s->J, &p->objective);
  if (e == LSQ_DONE) take_triangle(s);
  s->first = p->objective;
  if (local_ends_at_start(e, p, s->options, &how))
    end(s, how);
  else if (!s->count)
    end(s, LOCAL_GRADIENT_END);
}

void local_lmder(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  if (!lsq->residuals) { // the nearest method that needs R and Qr alone
    local_lm(lsq, options, result);
    return;
  }
  Arena *a = arena_new();
  Lmder *s = lmder_new(a, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  if (!s->ended) run(s);
  lsq_point_copy(result->best, s->at, lsq->n);
  arena_free(a);
}
