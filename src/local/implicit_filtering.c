// Implicit filtering (Gilmore and Kelley, SIAM J. Optimization 5 (1995) 269; Kelley, Implicit Filtering, SIAM 2011): steps
// of a quadratic model from differences over a stencil x +- h e_i. The stencil begins as wide as the bounds, where it sees
// neither noise nor small valleys, and shrinks wherever it is of no more use. Numbers are measured in widths of their box.
//
// The model: linear residuals from their differences (Gauss-Newton), or slopes of the objective with second derivatives by
// BFGS, which needs the objective alone.
#include <math.h>
#include <string.h>

#include "local/descent.h"
#include "num/cholesky.h"
#include "num/qr.h"

enum { TRIALS = 4 };                   // of a step: all of it, a half, a quarter, an eighth
static const double STEP_LIMIT = 10;   // in scales
static const double STEP_SMALL = 0.01; // in scales: there is nothing more to see at this one
static const double SUFFICIENT = 1e-4; // part of the gain promised by the slope
// Relative gain of all scales together, above which they are gone through again.
static const double WORTH_AGAIN = 1e-3;

typedef struct Filter {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result; // its best: of all points that were evaluated
  LsqPoint *at;
  double *width;      // of the box
  double h;           // scale
  double *points, *V; // to be evaluated side by side
  int *owner;         // of a point of the stencil: 2i above, 2i + 1 below number i
  double *around;     // objectives of the stencil by owner, HUGE_VAL: none
  // Gauss-Newton only; rows of residuals
  bool by_residuals;
  double *r;      // of the points
  double *r_best; // of the best of all
  double *r_at;
  double **column; // of the Jacobian, and the residuals
  QrSum *qr;
  // BFGS only
  double *slope, *bend; // differences of first and second order
  double *B;            // second derivatives
  bool has_B;
  double *old_x, *old_slope; // of the point before, at this scale
  bool has_old;
  // the step
  double *R, *Qr, *low, *high, *weight;
  double *d, *change, *Bs;
  LinearWork *linear;
  bool flat; // the stencil sees no more than errors of the simulation
  bool ended;
} Filter;

static void residuals_new(Arena *a, Filter *s, size_t points) {
  size_t n = (size_t)s->lsq->n, rows = (size_t)s->lsq->rows;
  const FitOptions *o = s->options->fit;
  // With the Huber loss, the objective is not half the sum of the squares.
  s->by_residuals = o->filter_model == FILTER_MODEL_GAUSS_NEWTON && o->loss == LOSS_SQUARES &&
                    (s->lsq->residuals || s->lsq->vectors);
  if (!s->by_residuals) return;
  s->r = ARENA_ARRAY(a, double, points *rows + 1);
  s->r_best = ARENA_ARRAY(a, double, rows + 1);
  s->r_at = ARENA_ARRAY(a, double, rows + 1);
  s->column = ARENA_ARRAY(a, double *, n + 1);
  for (size_t i = 0; i <= n; i++) s->column[i] = ARENA_ARRAY(a, double, rows + 1);
  s->qr = qr_sum_new(a, s->lsq->n);
}

static Filter *filter_new(Arena *a, const Lsq *lsq, const LocalOptions *options,
                          LocalResult *result) {
  size_t n = (size_t)lsq->n, most = 2 * n + TRIALS;
  Filter *s = ARENA_NEW(a, Filter);
  s->lsq = lsq;
  s->options = options;
  s->result = result;
  s->at = lsq_point_new(a, lsq->n);
  double **vectors[] = {&s->width, &s->slope, &s->bend,   &s->old_x, &s->old_slope, &s->Qr,
                        &s->low,   &s->high,  &s->weight, &s->d,     &s->change,    &s->Bs};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = ARENA_ARRAY(a, double, n + 1);
  s->points = ARENA_ARRAY(a, double, most *(n + 1));
  s->V = ARENA_ARRAY(a, double, most);
  s->owner = ARENA_ARRAY(a, int, most);
  s->around = ARENA_ARRAY(a, double, most);
  s->B = ARENA_ARRAY(a, double, n *n + 1);
  s->R = ARENA_ARRAY(a, double, n *n + 1);
  s->linear = linear_new(a, lsq->n);
  residuals_new(a, s, most);
  return s;
}

static void end(Filter *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

// A bound that is missing is three times the typical size away.
static void set_widths(Filter *s) {
  const Lsq *lsq = s->lsq;
  for (int i = 0; i < lsq->n; i++) {
    double x = s->at->x[i], far = 3 * fmax(fabs(x), lsq->typical[i]);
    double low = fmax(lsq->lower[i], x - far), high = fmin(lsq->upper[i], x + far);
    if (lsq->box_low) low = lsq->box_low[i], high = lsq->box_high[i];
    s->width[i] = high > low ? high - low : 1;
  }
}

static LsqEnd evaluate(Filter *s, int count) {
  double before = s->result->best->objective;
  if (!s->by_residuals) return lsq_values(s->lsq, s->points, count, s->V, s->result);
  LsqEnd how = lsq_vectors(s->lsq, s->points, count, s->V, s->r, s->result);
  size_t rows = (size_t)s->lsq->rows;
  for (int k = 0; k < count; k++) {
    if (!(s->V[k] < before)) continue;
    before = s->V[k];
    memcpy(s->r_best, s->r + (size_t)k * rows, rows * sizeof *s->r);
  }
  return how;
}

// ---------------------------------------------------------------- stencil

static void add_neighbour(Filter *s, int owner, double x, int *count) {
  int n = s->lsq->n, i = owner / 2;
  if (x < s->lsq->lower[i] || x > s->lsq->upper[i] || x == s->at->x[i]) return;
  double *p = s->points + (size_t)*count * n;
  memcpy(p, s->at->x, (size_t)n * sizeof *p);
  p[i] = x;
  s->owner[(*count)++] = owner;
}

// Differences of the residuals: of both sides, of one, or none.
static void read_columns(Filter *s, int count) {
  size_t rows = (size_t)s->lsq->rows;
  for (int i = 0; i < s->lsq->n; i++) {
    bool both = s->around[2 * i] < HUGE_VAL && s->around[2 * i + 1] < HUGE_VAL;
    for (size_t j = 0; j < rows; j++) s->column[i][j] = 0;
    for (int k = 0; k < count; k++) {
      const double *r = s->r + (size_t)k * rows;
      double side = s->owner[k] == 2 * i ? 1 : -1, by = side / (both ? 2 * s->h : s->h);
      if (s->owner[k] / 2 != i || !(s->V[k] < HUGE_VAL)) continue;
      for (size_t j = 0; j < rows; j++) s->column[i][j] += by * (r[j] - s->r_at[j]);
    }
  }
}

static LsqEnd evaluate_stencil(Filter *s) {
  int n = s->lsq->n, count = 0;
  for (int i = 0; i < n; i++) {
    s->around[2 * i] = s->around[2 * i + 1] = HUGE_VAL;
    add_neighbour(s, 2 * i, s->at->x[i] + s->h * s->width[i], &count);
    add_neighbour(s, 2 * i + 1, s->at->x[i] - s->h * s->width[i], &count);
  }
  LsqEnd how = evaluate(s, count);
  for (int k = 0; k < count; k++) s->around[s->owner[k]] = s->V[k];
  if (s->by_residuals) read_columns(s, count);
  return how;
}

// By how much the objective differs without any meaning.
static double noise(const Filter *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  return fmax(2 * sqrt(V * floor) + floor, 1e-15 * V);
}

// Central differences where there are neighbours on both sides, else of one side; without any a number stays.
static void read_stencil(Filter *s) {
  double V = s->at->objective, h = s->h;
  bool rises = false, sees = false;
  for (int i = 0; i < s->lsq->n; i++) {
    double up = s->around[2 * i], down = s->around[2 * i + 1];
    bool has_up = up < HUGE_VAL, has_down = down < HUGE_VAL;
    double rise = has_up ? up - V : 0, fall = has_down ? V - down : 0;
    s->slope[i] = has_up && has_down ? (rise + fall) / (2 * h) : (rise + fall) / h;
    s->bend[i] = has_up && has_down ? (rise - fall) / (h * h) : 0;
    sees = sees || has_up || has_down;
    rises = rises || fmax(fabs(rise), fabs(fall)) > noise(s);
    double most = has_up || has_down ? STEP_LIMIT * h : 0;
    s->low[i] = fmax(-most, (s->lsq->lower[i] - s->at->x[i]) / s->width[i]);
    s->high[i] = fmin(most, (s->lsq->upper[i] - s->at->x[i]) / s->width[i]);
  }
  s->flat = sees && !rises; // without any neighbours, a smaller stencil may have some
}

// ---------------------------------------------------------------- second derivatives

// The diagonal as the stencil shows it; where it bends down or not at all, a step of one scale is enough.
static void begin_model(Filter *s) {
  int n = s->lsq->n;
  double largest = 0;
  memset(s->B, 0, (size_t)n * (size_t)n * sizeof *s->B);
  for (int i = 0; i < n; i++) {
    double b = fmax(s->bend[i], fabs(s->slope[i]) / s->h);
    s->B[(size_t)i * n + i] = b;
    largest = fmax(largest, b);
  }
  for (int i = 0; i < n; i++)
    s->B[(size_t)i * n + i] = fmax(s->B[(size_t)i * n + i], largest > 0 ? 1e-12 * largest : 1);
  s->has_B = true;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// BFGS; the change of slopes is mixed with what the model expected where it shows no positive curvature (Powell 1978).
static void update_model(Filter *s) {
  int n = s->lsq->n;
  double *step = s->change, *y = s->d;
  for (int i = 0; i < n; i++) {
    step[i] = (s->at->x[i] - s->old_x[i]) / s->width[i];
    y[i] = s->slope[i] - s->old_slope[i];
  }
  for (int i = 0; i < n; i++) s->Bs[i] = dot(n, s->B + (size_t)i * n, step);
  double expected = dot(n, step, s->Bs), seen = dot(n, step, y);
  if (!(expected > 0)) return;
  double part = seen >= 0.2 * expected ? 1 : 0.8 * expected / (expected - seen);
  for (int i = 0; i < n; i++) y[i] = part * y[i] + (1 - part) * s->Bs[i];
  seen = dot(n, step, y);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s->B[(size_t)i * n + j] += y[i] * y[j] / seen - s->Bs[i] * s->Bs[j] / expected;
}

// R'R = B, R'Qr = slope. False: B has lost its positive curvature to rounding.
static bool factor_model(Filter *s) {
  int n = s->lsq->n;
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, s->B[(size_t)i * n + i]);
  memcpy(s->R, s->B, (size_t)n * (size_t)n * sizeof *s->R);
  if (!isfinite(largest) || !cholesky(n, s->R, 1e-14)) return false;
  for (int i = 0; i < n; i++) {
    double sum = s->slope[i];
    for (int k = 0; k < i; k++) sum -= s->R[(size_t)k * n + i] * s->Qr[k];
    s->Qr[i] = sum / s->R[(size_t)i * n + i];
  }
  return true;
}

static void model_of_residuals(Filter *s) {
  int n = s->lsq->n, rows = s->lsq->rows;
  memcpy(s->column[n], s->r_at, (size_t)rows * sizeof *s->r_at);
  qr_sum_clear(s->qr);
  qr_sum_add(s->qr, s->column, rows);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      s->R[(size_t)i * n + j] = j < i ? 0 : s->qr->R[(size_t)i * (n + 1) + j];
    s->Qr[i] = s->qr->R[(size_t)i * (n + 1) + n];
  }
  linear_slope(n, s->R, s->Qr, s->slope, s->weight);
  for (int i = 0; i < n; i++)
    if (s->weight[i] == 0) s->weight[i] = 1;
}

static void renew_model(Filter *s) {
  if (s->by_residuals) {
    model_of_residuals(s);
    return;
  }
  for (int i = 0; i < s->lsq->n; i++) s->weight[i] = 1;
  if (s->has_B && s->has_old) update_model(s);
  if (s->has_B && factor_model(s)) return;
  begin_model(s);
  factor_model(s);
}

// ---------------------------------------------------------------- steps

static void set_trial(const Filter *s, double part, double *x) {
  for (int i = 0; i < s->lsq->n; i++) {
    double to = s->at->x[i] + part * s->d[i] * s->width[i];
    x[i] = fmin(fmax(to, s->lsq->lower[i]), s->lsq->upper[i]);
  }
}

// To the minimum of the model inside the bounds, or a part of that way; all at once. *falls: the objective does as it should.
static LsqEnd try_steps(Filter *s, bool *falls) {
  int n = s->lsq->n;
  LinearModel m = {n, s->R, s->Qr, s->weight, s->low, s->high};
  linear_boxed_step(s->linear, &m, linear_least_damping(&m), s->d);
  double promised = -dot(n, s->slope, s->d), part = 1;
  *falls = false;
  if (!(promised > 0)) return LSQ_DONE;
  for (int k = 0; k < TRIALS; k++, part /= 2) set_trial(s, part, s->points + (size_t)k * n);
  LsqEnd how = evaluate(s, TRIALS);
  part = 1;
  for (int k = 0; k < TRIALS; k++, part /= 2)
    *falls = *falls || s->V[k] < s->at->objective - SUFFICIENT * part * promised;
  return how;
}

static void take_residuals(Filter *s) {
  if (s->by_residuals) memcpy(s->r_at, s->r_best, (size_t)s->lsq->rows * sizeof *s->r_at);
}

// To the best of all points that were tried. False: there is none better.
static bool move(Filter *s, double *size) {
  int n = s->lsq->n;
  LocalResult *r = s->result;
  LocalEnd how;
  if (!(r->best->objective < s->at->objective)) return false;
  memcpy(s->old_x, s->at->x, (size_t)n * sizeof *s->old_x);
  memcpy(s->old_slope, s->slope, (size_t)n * sizeof *s->old_slope);
  s->has_old = true;
  lsq_point_copy(s->at, r->best, n);
  take_residuals(s);
  for (int i = 0; i < n; i++) *size = fmax(*size, fabs(s->at->x[i] - s->old_x[i]) / s->width[i]);
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
    if (s->flat) return false;
    renew_model(s);
    how = try_steps(s, &falls);
  }
  bool moved = move(s, &size);
  if (how == LSQ_STOP) end(s, LOCAL_STOPPED_END);
  if (!falls) s->has_B = false; // it has misled
  return !s->ended && moved && size > STEP_SMALL * s->h;
}

// ---------------------------------------------------------------- scales

static void go_through_scales(Filter *s) {
  const FitOptions *o = s->options->fit;
  s->flat = false;
  for (s->h = o->filter_first; !s->ended && !s->flat; s->h /= 2) {
    s->has_old = false;
    while (iterate(s)) continue;
    if (s->h <= o->filter_last) return;
  }
}

static bool is_worth_repeating(const Filter *s, const LsqPoint *before) {
  double far = 0, gain = before->objective - s->at->objective;
  for (int i = 0; i < s->lsq->n; i++)
    far = fmax(far, fabs(s->at->x[i] - before->x[i]) / s->width[i]);
  return far > s->options->fit->filter_last && gain > WORTH_AGAIN * before->objective;
}

static LsqEnd evaluate_start(Filter *s) {
  LocalResult *r = s->result;
  r->best->objective = HUGE_VAL;
  memcpy(s->points, s->at->x, (size_t)s->lsq->n * sizeof *s->points);
  LsqEnd how = evaluate(s, 1);
  s->at->objective = s->V[0];
  if (how == LSQ_STOP) return s->V[0] < HUGE_VAL ? LSQ_DONE : LSQ_STOP;
  return s->V[0] < HUGE_VAL ? LSQ_DONE : LSQ_FAILED;
}

static void start(Filter *s) {
  LocalEnd how;
  int n = s->lsq->n;
  bool moves = false;
  if (n) memcpy(s->at->x, s->result->best->x, (size_t)n * sizeof(double));
  local_clamp(s->lsq, s->at->x);
  LsqEnd e = evaluate_start(s);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, s->at->x)) e = evaluate_start(s);
  lsq_point_copy(s->result->best, s->at, n);
  take_residuals(s);
  for (int i = 0; i < n; i++) moves = moves || s->lsq->lower[i] < s->lsq->upper[i];
  if (local_ends_at_start(e, s->at, s->options, &how))
    end(s, how);
  else if (!moves)
    end(s, LOCAL_STEP_END);
  set_widths(s);
}

void local_implicit_filtering(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  Filter *s = filter_new(a, lsq, options, result);
  LsqPoint *before = lsq_point_new(a, lsq->n);
  result->iterations = result->evaluations = 0;
  start(s);
  while (!s->ended) {
    lsq_point_copy(before, s->at, lsq->n);
    go_through_scales(s);
    if (!s->ended && !is_worth_repeating(s, before)) end(s, LOCAL_SCALES_END);
  }
  arena_free(a);
}
