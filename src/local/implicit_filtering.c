// Implicit filtering (Gilmore and Kelley, SIAM J. Optimization 5 (1995) 269; Kelley, Implicit Filtering, SIAM 2011): steps
// of a quadratic model from differences over a stencil x +- h e_i,
//   V(x) + slope'd + d'Bd/2,   slope_i = (V(x + h e_i) - V(x - h e_i))/(2h).
// h, the scale, begins as wide as the bounds, where the stencil sees neither noise nor small valleys; it is halved whenever a
// step gains nothing more. Unknowns are measured in widths of their box.
//
// B comes from linear residuals, whose differences are J (Gauss-Newton: B = J'J), or from BFGS updates with the differences of
// the objective, which needs the objective alone.
#include <math.h>
#include <string.h>

#include "local/common.h"
#include "local/linear.h"
#include "num/cholesky.h"
#include "num/qr.h"

enum { TRIALS = 4 };                   // of a step: all of it, a half, a quarter, an eighth
static const double STEP_LIMIT = 10;   // in scales
static const double STEP_SMALL = 0.01; // in scales: there is nothing more to see at this one
static const double SUFFICIENT = 1e-4; // part of the gain promised by the slope
// Relative gain of all scales together, above which they are gone through again.
static const double REPEAT_GAIN = 1e-3;

// The points around the present one, and what they show of the objective.
typedef struct FilterStencil {
  double *points, *V; // to be evaluated side by side
  int *owner;         // of a point: 2i above, 2i + 1 below unknown i
  double *around;     // objectives by owner, HUGE_VAL: none
  double *slope;      // first differences
  double *bend;       // second differences
  bool flat;          // no more than errors of the simulation
} FilterStencil;

// Gauss-Newton only: residuals, and their differences.
typedef struct FilterResiduals {
  double *r;      // of the points
  double *r_best; // of the best of all
  double *r_at;
  double **column; // of the Jacobian, and the residuals
  QrSum *qr;
} FilterResiduals;

// BFGS only: second derivatives, and the point before at this scale.
typedef struct FilterBfgs {
  double *B;
  bool has_B;
  double *old_x, *old_slope;
  bool has_old;
  double *change, *y, *Bs; // scratch of an update: step, change of slopes, B times step
} FilterBfgs;

typedef struct Filter {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result; // its best: of all points that were evaluated
  bool by_residuals;   // Gauss-Newton
  double *width;       // of the box
  LsqPoint *at;
  double h; // scale
  FilterStencil stencil;
  FilterResiduals residuals;
  FilterBfgs bfgs;
  // the model |Qr + R d|^2/2 + constant, with weights of its unknowns, and the step to its minimum between low and high
  double *R, *Qr, *weight, *low, *high, *d;
  LinearWork *linear;
  bool ended;
} Filter;

static Filter *filter_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                          LocalResult *result) {
  size_t n = (size_t)lsq->n, rows = (size_t)lsq->rows, most = 2 * n + TRIALS;
  Filter *s = ARENA_NEW(a, Filter);
  FilterStencil *t = &s->stencil;
  FilterResiduals *g = &s->residuals;
  FilterBfgs *b = &s->bfgs;
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, lsq->n);
  double **vectors[] = {&s->width, &s->Qr,    &s->weight,    &s->low,    &s->high, &s->d, &t->slope,
                        &t->bend,  &b->old_x, &b->old_slope, &b->change, &b->y,    &b->Bs};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  t->points = ARENA_ARRAY(a, double, most *(n + 1));
  t->V = ARENA_ARRAY(a, double, most);
  t->owner = ARENA_ARRAY(a, int, most);
  t->around = ARENA_ARRAY(a, double, most);
  b->B = ARENA_ARRAY(a, double, n *n + 1);
  s->R = ARENA_ARRAY(a, double, n *n + 1);
  s->linear = linear_new(a, lsq->n);
  // With a robust loss, the objective is not half the sum of the squares.
  s->by_residuals = options->filter_model == FILTER_MODEL_GAUSS_NEWTON && !options->robust &&
                    (lsq->residuals || lsq->vectors);
  if (!s->by_residuals) return s;
  g->r = ARENA_ARRAY(a, double, most *rows + 1);
  g->r_best = ARENA_ARRAY(a, double, rows + 1);
  g->r_at = ARENA_ARRAY(a, double, rows + 1);
  g->column = ARENA_ARRAY(a, double *, n + 1);
  for (size_t i = 0; i <= n; i++) g->column[i] = ARENA_ARRAY(a, double, rows + 1);
  g->qr = qr_sum_new(a, lsq->n);
  return s;
}

static void end(Filter *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static LsqEnd evaluate(Filter *s, int count) {
  double before = s->result->best->objective;
  if (!s->by_residuals)
    return local_values(s->lsq, s->stencil.points, count, s->stencil.V, s->result);
  LsqEnd how =
      local_vectors(s->lsq, s->stencil.points, count, s->stencil.V, s->residuals.r, s->result);
  size_t rows = (size_t)s->lsq->rows;
  for (int k = 0; k < count; k++) {
    if (!(s->stencil.V[k] < before)) continue;
    before = s->stencil.V[k];
    memcpy(s->residuals.r_best, s->residuals.r + (size_t)k * rows, rows * sizeof *s->residuals.r);
  }
  return how;
}

// ---------------------------------------------------------------- stencil

static void add_neighbour(Filter *s, int owner, double x, int *count) {
  int n = s->lsq->n, i = owner / 2;
  if (x < s->lsq->lower[i] || x > s->lsq->upper[i] || x == s->at->x[i]) return;
  double *p = s->stencil.points + (size_t)*count * n; // x with unknown i changed
  memcpy(p, s->at->x, (size_t)n * sizeof *p);
  p[i] = x;
  s->stencil.owner[(*count)++] = owner;
}

// Differences of the residuals: of both sides, of one, or none.
static void read_columns(Filter *s, int count) {
  const FilterStencil *t = &s->stencil;
  const double *r_at = s->residuals.r_at;
  size_t rows = (size_t)s->lsq->rows;
  for (int i = 0; i < s->lsq->n; i++) {
    double *column = s->residuals.column[i];
    bool both = t->around[2 * i] < HUGE_VAL && t->around[2 * i + 1] < HUGE_VAL;
    for (size_t j = 0; j < rows; j++) column[j] = 0;
    for (int k = 0; k < count; k++) {
      const double *r = s->residuals.r + (size_t)k * rows;
      double side = t->owner[k] == 2 * i ? 1 : -1, by = side / (both ? 2 * s->h : s->h);
      if (t->owner[k] / 2 != i || !(t->V[k] < HUGE_VAL)) continue;
      for (size_t j = 0; j < rows; j++) column[j] += by * (r[j] - r_at[j]);
    }
  }
}

static LsqEnd evaluate_stencil(Filter *s) {
  FilterStencil *t = &s->stencil;
  int n = s->lsq->n, count = 0;
  for (int i = 0; i < n; i++) {
    t->around[2 * i] = t->around[2 * i + 1] = HUGE_VAL;
    add_neighbour(s, 2 * i, s->at->x[i] + s->h * s->width[i], &count);
    add_neighbour(s, 2 * i + 1, s->at->x[i] - s->h * s->width[i], &count);
  }
  LsqEnd how = evaluate(s, count);
  for (int k = 0; k < count; k++) t->around[t->owner[k]] = t->V[k];
  if (s->by_residuals) read_columns(s, count);
  return how;
}

// By how much the objective differs without any meaning.
static double noise(const Filter *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  return fmax(2 * sqrt(V * floor) + floor, 1e-15 * V);
}

// Central differences where there are neighbours on both sides, else of one side; without any an unknown stays.
static void read_stencil(Filter *s) {
  FilterStencil *t = &s->stencil;
  double V = s->at->objective, h = s->h;
  bool rises = false, sees = false;
  for (int i = 0; i < s->lsq->n; i++) {
    double up = t->around[2 * i], down = t->around[2 * i + 1];
    bool has_up = up < HUGE_VAL, has_down = down < HUGE_VAL;
    double rise = has_up ? up - V : 0, fall = has_down ? V - down : 0;
    t->slope[i] = has_up && has_down ? (rise + fall) / (2 * h) : (rise + fall) / h;
    t->bend[i] = has_up && has_down ? (rise - fall) / (h * h) : 0;
    sees = sees || has_up || has_down;
    rises = rises || fmax(fabs(rise), fabs(fall)) > noise(s);
    double most = has_up || has_down ? STEP_LIMIT * h : 0;
    s->low[i] = fmax(-most, (s->lsq->lower[i] - s->at->x[i]) / s->width[i]);
    s->high[i] = fmin(most, (s->lsq->upper[i] - s->at->x[i]) / s->width[i]);
  }
  t->flat = sees && !rises; // without any neighbours, a smaller stencil may have some
}

// ---------------------------------------------------------------- second derivatives

// B begins as the diagonal that the stencil shows; where it bends down or not at all, a step of one scale is enough.
static void begin_model(Filter *s) {
  int n = s->lsq->n;
  double largest = 0;
  memset(s->bfgs.B, 0, (size_t)n * (size_t)n * sizeof *s->bfgs.B);
  for (int i = 0; i < n; i++) {
    double b = fmax(s->stencil.bend[i], fabs(s->stencil.slope[i]) / s->h);
    s->bfgs.B[(size_t)i * n + i] = b;
    largest = fmax(largest, b);
  }
  for (int i = 0; i < n; i++)
    s->bfgs.B[(size_t)i * n + i] =
        fmax(s->bfgs.B[(size_t)i * n + i], largest > 0 ? 1e-12 * largest : 1);
  s->bfgs.has_B = true;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// BFGS: B += yy'/(y's) - (Bs)(Bs)'/(s'Bs), with s the step and y the change of slopes, which is mixed with Bs where it shows no
// positive curvature (Powell 1978).
static void update_model(Filter *s) {
  int n = s->lsq->n;
  FilterBfgs *b = &s->bfgs;
  double *step = b->change, *y = b->y, *Bs = b->Bs;
  for (int i = 0; i < n; i++) {
    step[i] = (s->at->x[i] - b->old_x[i]) / s->width[i];
    y[i] = s->stencil.slope[i] - b->old_slope[i];
  }
  for (int i = 0; i < n; i++) Bs[i] = dot(n, b->B + (size_t)i * n, step);
  double expected = dot(n, step, Bs), seen = dot(n, step, y);
  if (!(expected > 0)) return;
  double part = seen >= 0.2 * expected ? 1 : 0.8 * expected / (expected - seen);
  for (int i = 0; i < n; i++) y[i] = part * y[i] + (1 - part) * Bs[i];
  seen = dot(n, step, y);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b->B[(size_t)i * n + j] += y[i] * y[j] / seen - Bs[i] * Bs[j] / expected;
}

// R'R = B, R'Qr = slope. False: B has lost its positive curvature to rounding.
static bool factor_model(Filter *s) {
  int n = s->lsq->n;
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, s->bfgs.B[(size_t)i * n + i]);
  memcpy(s->R, s->bfgs.B, (size_t)n * (size_t)n * sizeof *s->R);
  if (!isfinite(largest) || !cholesky(n, s->R, 1e-14)) return false;
  for (int i = 0; i < n; i++) {
    double sum = s->stencil.slope[i];
    for (int k = 0; k < i; k++) sum -= s->R[(size_t)k * n + i] * s->Qr[k];
    s->Qr[i] = sum / s->R[(size_t)i * n + i];
  }
  return true;
}

// R and Qr of the columns of differences.
static void model_of_residuals(Filter *s) {
  FilterResiduals *g = &s->residuals;
  int n = s->lsq->n, rows = s->lsq->rows;
  memcpy(g->column[n], g->r_at, (size_t)rows * sizeof *g->r_at);
  qr_sum_clear(g->qr);
  qr_sum_add(g->qr, g->column, rows);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      s->R[(size_t)i * n + j] = j < i ? 0 : g->qr->R[(size_t)i * (n + 1) + j];
    s->Qr[i] = g->qr->R[(size_t)i * (n + 1) + n];
  }
  linear_slope(n, s->R, s->Qr, s->stencil.slope, s->weight);
  for (int i = 0; i < n; i++)
    if (s->weight[i] == 0) s->weight[i] = 1;
}

static void renew_model(Filter *s) {
  if (s->by_residuals) {
    model_of_residuals(s);
    return;
  }
  for (int i = 0; i < s->lsq->n; i++) s->weight[i] = 1;
  if (s->bfgs.has_B && s->bfgs.has_old) update_model(s);
  if (s->bfgs.has_B && factor_model(s)) return;
  begin_model(s);
  factor_model(s);
}

// ---------------------------------------------------------------- steps

// To the minimum of the model inside the bounds, or a part of that way; all at once. *falls: the objective does as it should.
static LsqEnd try_steps(Filter *s, bool *falls) {
  int n = s->lsq->n;
  LinearModel m = {n, s->R, s->Qr, s->weight, s->low, s->high};
  linear_boxed_step(s->linear, &m, linear_least_damping(&m), s->d);
  double promised = -dot(n, s->stencil.slope, s->d), part = 1;
  *falls = false;
  if (!(promised > 0)) return LSQ_DONE;
  for (int k = 0; k < TRIALS; k++, part /= 2)
    for (int i = 0; i < n; i++) {
      double to = s->at->x[i] + part * s->d[i] * s->width[i];
      s->stencil.points[(size_t)k * n + i] = fmin(fmax(to, s->lsq->lower[i]), s->lsq->upper[i]);
    }
  LsqEnd how = evaluate(s, TRIALS);
  part = 1;
  for (int k = 0; k < TRIALS; k++, part /= 2)
    *falls = *falls || s->stencil.V[k] < s->at->objective - SUFFICIENT * part * promised;
  return how;
}

static void take_residuals(Filter *s) {
  if (s->by_residuals)
    memcpy(s->residuals.r_at, s->residuals.r_best,
           (size_t)s->lsq->rows * sizeof *s->residuals.r_at);
}

// To the best of all points that were tried. False: there is none better.
static bool move(Filter *s, double *size) {
  int n = s->lsq->n;
  LocalResult *r = s->result;
  LocalEnd how;
  if (!(r->best->objective < s->at->objective)) return false;
  memcpy(s->bfgs.old_x, s->at->x, (size_t)n * sizeof *s->bfgs.old_x);
  memcpy(s->bfgs.old_slope, s->stencil.slope, (size_t)n * sizeof *s->bfgs.old_slope);
  s->bfgs.has_old = true;
  lsq_point_copy(s->at, r->best, n);
  take_residuals(s);
  for (int i = 0; i < n; i++)
    *size = fmax(*size, fabs(s->at->x[i] - s->bfgs.old_x[i]) / s->width[i]);
  r->iterations++;
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, r->iterations);
  if (local_is_good(s->at, s->options, &how))
    end(s, how);
  else if (r->iterations >= s->options->max_iterations)
    end(s, LOCAL_ITERATIONS_END);
  return true;
}

// False: there is nothing more to gain at this scale.
static bool iterate(Filter *s) {
  bool falls = false;
  double size = 0;
  LsqEnd how = evaluate_stencil(s);
  if (how != LSQ_STOP) {
    read_stencil(s);
    if (s->stencil.flat) return false;
    renew_model(s);
    how = try_steps(s, &falls);
  }
  bool moved = move(s, &size);
  if (how == LSQ_STOP) end(s, LOCAL_STOPPED_END);
  if (!falls) s->bfgs.has_B = false; // it has misled
  return !s->ended && moved && size > STEP_SMALL * s->h;
}

// ---------------------------------------------------------------- scales

static LsqEnd evaluate_start(Filter *s) {
  const double *V = s->stencil.V;
  s->result->best->objective = HUGE_VAL;
  memcpy(s->stencil.points, s->at->x, (size_t)s->lsq->n * sizeof *s->at->x);
  LsqEnd how = evaluate(s, 1);
  s->at->objective = V[0];
  if (how == LSQ_STOP) return V[0] < HUGE_VAL ? LSQ_DONE : LSQ_STOP;
  return V[0] < HUGE_VAL ? LSQ_DONE : LSQ_FAILED;
}

static void start(Filter *s) {
  const Lsq *lsq = s->lsq;
  LocalEnd how;
  int n = lsq->n;
  bool moves = false;
  if (n) memcpy(s->at->x, s->result->best->x, (size_t)n * sizeof(double));
  local_clamp(lsq, s->at->x);
  LsqEnd e = evaluate_start(s);
  if (e == LSQ_FAILED && local_move_off_bounds(lsq, s->at->x)) e = evaluate_start(s);
  lsq_point_copy(s->result->best, s->at, n);
  take_residuals(s);
  for (int i = 0; i < n; i++) moves = moves || lsq->lower[i] < lsq->upper[i];
  if (local_ends_at_start(e, s->at, s->options, &how))
    end(s, how);
  else if (!moves)
    end(s, LOCAL_STEP_END);
  for (int i = 0; i < n; i++) { // a bound that is missing is three times the typical size away
    double x = s->at->x[i], far = 3 * fmax(fabs(x), lsq->typical[i]);
    double low = fmax(lsq->lower[i], x - far), high = fmin(lsq->upper[i], x + far);
    if (lsq->box_low) low = lsq->box_low[i], high = lsq->box_high[i];
    s->width[i] = high > low ? high - low : 1;
  }
}

// Whether going through all scales has changed enough to do it again.
static bool should_repeat(const Filter *s, const LsqPoint *before) {
  double far = 0, gain = before->objective - s->at->objective;
  for (int i = 0; i < s->lsq->n; i++)
    far = fmax(far, fabs(s->at->x[i] - before->x[i]) / s->width[i]);
  return far > s->options->filter_last && gain > REPEAT_GAIN * before->objective;
}

void local_implicit_filtering(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  Filter *s = filter_new(a, lsq, options, result);
  LsqPoint *before = lsq_point_new(a, lsq->n);
  result->iterations = result->evaluations = 0;
  start(s);
  while (!s->ended) {
    lsq_point_copy(before, s->at, lsq->n);
    s->stencil.flat = false;
    for (s->h = options->filter_first; !s->ended && !s->stencil.flat; s->h /= 2) {
      s->bfgs.has_old = false;
      while (iterate(s)) continue;
      if (s->h <= options->filter_last) break;
    }
    if (!s->ended && !should_repeat(s, before)) end(s, LOCAL_SCALES_END);
  }
  arena_free(a);
}
