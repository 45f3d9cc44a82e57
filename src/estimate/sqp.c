// Sequential quadratic programming of the least squares: each step minimises the linear model of the residuals inside the
// bounds, a rectangular trust region and the linear constraints (the idea of NLSSOL: Gill, Murray, Saunders and Wright, report
// SOL 86-2, Stanford). Values of constraints cost nothing beside a simulation, so points are taken back to the constraints
// before they are simulated.
#include <math.h>
#include <string.h>

#include "estimate/descent.h"
#include "estimate/nlopt_methods.h"
#include "num/lsi.h"

typedef struct Sqp {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial;
  int m;         // constraints
  double *c, *C; // at the point
  double *c_new, *C_new;
  double *length;   // of the rows of C in scaled numbers: violations are divided by it
  double *tol;      // violations below do not count, by constraint
  double violation; // at the point: the sum of those that count
  double penalty;   // what a violation of 1 counts for
  double *scale;    // largest norm that each column of R has had
  double *seen;     // the same, 0 while it has none
  double *slope, *norm, *old_slope;
  Curvature *curvature;
  bool curved;                 // steps come from the model with the curvature
  double *curved_R, *curved_z; // its triangle
  LinearModel residuals, model;
  double *full; // step to the minimum of the residuals' model under the constraints: not limited
  double full_gain;   // predicted
  double *multiplier; // there
  double *d, *multiplier_of_d;
  double gain;    // predicted by the model for d, without violations
  double promise; // with them
  bool limited;   // d is shorter than the model wants
  double radius;  // of the largest |scale d|
  double highest; // objective seen at accepted points
  int rejected;   // in a row
  double worse;   // by how much the last trial was
  bool ended;
  Lsi *lsi;
  double *M, *A, *b, *low, *high, *step; // of the steps, in scaled numbers
} Sqp;

static Sqp *sqp_new(Arena *a, const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  int n = lsq->n, m = lsq->constraints ? lsq->equalities + lsq->inequalities : 0;
  size_t square = (size_t)n * (size_t)n + 1, wide = (size_t)m * (size_t)n + 1;
  Sqp *s = ARENA_NEW(a, Sqp);
  s->lsq = lsq, s->options = options, s->result = result, s->m = m;
  s->at = lsq_point_new(a, n);
  s->trial = lsq_point_new(a, n);
  s->curvature = curvature_new(a, n);
  s->lsi = lsi_new(a, n, n, m);
  double **by_number[] = {&s->scale, &s->seen, &s->slope, &s->norm, &s->old_slope, &s->curved_z,
                          &s->full,  &s->d,    &s->low,   &s->high, &s->step};
  for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++)
    *by_number[i] = ARENA_ARRAY(a, double, n + 1);
  double **by_constraint[] = {&s->c,   &s->c_new,      &s->length,         &s->b,
                              &s->tol, &s->multiplier, &s->multiplier_of_d};
  for (size_t i = 0; i < sizeof by_constraint / sizeof *by_constraint; i++)
    *by_constraint[i] = ARENA_ARRAY(a, double, m + 1);
  s->C = ARENA_ARRAY(a, double, wide);
  s->C_new = ARENA_ARRAY(a, double, wide);
  s->A = ARENA_ARRAY(a, double, wide);
  s->M = ARENA_ARRAY(a, double, square);
  s->curved_R = ARENA_ARRAY(a, double, square);
  return s;
}

static void end(Sqp *s, LocalEnd how) {
  s->result->end = how;
  s->ended = true;
}

static void copy(const Sqp *s, double *to, const double *from) {
  if (s->lsq->n) memcpy(to, from, (size_t)s->lsq->n * sizeof *to);
}

// ---------------------------------------------------------------- constraints

// Met when a relative change of the numbers by this would meet them exactly.
static const double FEASIBLE = 1e-10;

static bool get_constraints(const Sqp *s, const double *x, double *c, double *C) {
  if (s->m == 0) return true;
  s->lsq->constraints(s->lsq->self, x, c, C);
  for (int k = 0; k < s->m; k++)
    if (!isfinite(c[k])) return false;
  for (size_t i = 0; C && i < (size_t)s->m * (size_t)s->lsq->n; i++)
    if (!isfinite(C[i])) return false;
  return true;
}

// Lengths and tolerances of the rows at x.
static void measure_rows(Sqp *s, const double *x, const double *C) {
  int n = s->lsq->n;
  for (int k = 0; k < s->m; k++) {
    double squares = 0, size = 0;
    for (int i = 0; i < n; i++) {
      double slope = C[(size_t)k * n + i];
      squares += (slope / s->scale[i]) * (slope / s->scale[i]);
      size += fabs(slope) * local_size(s->lsq, x, i);
    }
    s->length[k] = squares > 0 ? sqrt(squares) : 1;
    s->tol[k] = FEASIBLE * size / s->length[k];
  }
}

static double violation_of(const Sqp *s, const double *c, int k) {
  double by = k < s->lsq->equalities ? fabs(c[k]) : fmax(0, -c[k]);
  by /= s->length[k];
  return by > s->tol[k] ? by : 0;
}

static double violation(const Sqp *s, const double *c) {
  double sum = 0;
  for (int k = 0; k < s->m; k++) sum += violation_of(s, c, k);
  return sum;
}

// ---------------------------------------------------------------- steps under constraints

// The problem of a step from x in scaled numbers: constraints c + C d, |d| at most `radius` of each.
static LsiProblem step_problem(Sqp *s, const double *x, const double *c, const double *C,
                               double radius) {
  int n = s->lsq->n;
  for (int i = 0; i < n; i++) {
    s->low[i] = fmax((s->lsq->lower[i] - x[i]) * s->scale[i], -radius);
    s->high[i] = fmin((s->lsq->upper[i] - x[i]) * s->scale[i], radius);
  }
  for (int k = 0; k < s->m; k++) {
    s->b[k] = -c[k];
    for (int i = 0; i < n; i++) s->A[(size_t)k * n + i] = C[(size_t)k * n + i] / s->scale[i];
  }
  bool any = s->m > 0;
  return (LsiProblem){.n = n,
                      .low = s->low,
                      .high = s->high,
                      .equalities = any ? s->lsq->equalities : 0,
                      .inequalities = any ? s->lsq->inequalities : 0,
                      .A = s->A,
                      .b = s->b};
}

// Numbers that end at a bound are put exactly there.
static void set_point(const Sqp *s, const double *from, const double *d, double *x) {
  for (int i = 0; i < s->lsq->n; i++) {
    double low = s->lsq->lower[i], high = s->lsq->upper[i], to = from[i] + d[i];
    if (d[i] <= low - from[i]) to = low;
    if (d[i] >= high - from[i]) to = high;
    x[i] = fmin(fmax(to, low), high);
  }
}

// Part of the trust region that is left to the constraints; the rest is for the residuals.
static const double FOR_CONSTRAINTS = 0.8;

// The minimum of a model under the linear constraints. Those that cannot be met in the trust region are met as far as can be.
static void find_step(Sqp *s, const LinearModel *m, double radius, double *d, double *multiplier) {
  int n = s->lsq->n;
  const double *x = s->at->x;
  LsiProblem q = step_problem(s, x, s->c, s->C, FOR_CONSTRAINTS * radius);
  lsi_nearest(s->lsi, &q, s->step);
  q = step_problem(s, x, s->c, s->C, radius);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s->M[(size_t)i * n + j] = j >= i ? m->R[(size_t)i * n + j] / s->scale[j] : 0;
  q.rows = n, q.M = s->M, q.z = m->z;
  lsi_solve(s->lsi, &q, s->step, multiplier);
  for (int i = 0; i < n; i++) {
    d[i] = s->step[i] / s->scale[i];
    if (s->step[i] <= (s->lsq->lower[i] - x[i]) * s->scale[i]) d[i] = s->lsq->lower[i] - x[i];
    if (s->step[i] >= (s->lsq->upper[i] - x[i]) * s->scale[i]) d[i] = s->lsq->upper[i] - x[i];
  }
}

// Takes x to the constraints by the shortest steps (Newton), as long as these help. Leaves c_new and C_new of x. Returns
// the violation that is left.
static double go_to_constraints(Sqp *s, double *x, int steps_most) {
  Arena *scratch = arena_new();
  int n = s->lsq->n;
  double *next = ARENA_ARRAY(scratch, double, n + 1), *d = ARENA_ARRAY(scratch, double, n + 1);
  double left = get_constraints(s, x, s->c_new, s->C_new) ? violation(s, s->c_new) : HUGE_VAL;
  for (int step = 0; step < steps_most && left > 0 && left < HUGE_VAL; step++) {
    LsiProblem q = step_problem(s, x, s->c_new, s->C_new, HUGE_VAL);
    lsi_nearest(s->lsi, &q, s->step);
    double before = left, part = 1;
    for (; part > 1e-3; part /= 2) {
      for (int i = 0; i < n; i++) d[i] = part * s->step[i] / s->scale[i];
      set_point(s, x, d, next);
      left = get_constraints(s, next, s->c_new, s->C_new) ? violation(s, s->c_new) : HUGE_VAL;
      if (left < (1 - 0.1 * part) * before) break;
    }
    if (part > 1e-3) {
      copy(s, x, next);
      continue;
    }
    left = before;
    get_constraints(s, x, s->c_new, s->C_new);
    break;
  }
  arena_free(scratch);
  return left;
}

// ---------------------------------------------------------------- the point

// Slope of the objective less the forces of the constraints.
static void lagrange_slope(const Sqp *s, const double *slope, const double *C, double *out) {
  int n = s->lsq->n;
  for (int i = 0; i < n; i++) {
    out[i] = slope[i];
    for (int k = 0; k < s->m; k++) out[i] -= s->multiplier[k] * C[(size_t)k * n + i];
  }
}

static void choose_scale(Sqp *s) {
  const LsqPoint *p = s->at;
  double length = sqrt(2 * p->objective);
  linear_slope(s->lsq->n, p->R, p->z, s->slope, s->norm);
  for (int i = 0; i < s->lsq->n; i++) {
    s->seen[i] = fmax(s->seen[i], s->norm[i]);
    s->scale[i] = s->seen[i] > 0 ? s->seen[i] : length / fmax(fabs(p->x[i]), s->lsq->typical[i]);
    if (!(s->scale[i] > 0)) s->scale[i] = 1;
  }
}

// Where residuals can be made much smaller, their own model is the best one.
static const double LARGE_PART = 0.3;

static void look_around(Sqp *s) {
  int n = s->lsq->n;
  const LsqPoint *p = s->at;
  choose_scale(s);
  if (s->m) {
    double *C_old = s->C;
    s->C = s->C_new, s->C_new = C_old;
    double *c_old = s->c;
    s->c = s->c_new, s->c_new = c_old;
    measure_rows(s, p->x, s->C);
    s->violation = violation(s, s->c);
  }
  s->residuals = (LinearModel){n, p->R, p->z, s->scale, NULL, NULL};
  find_step(s, &s->residuals, HUGE_VAL, s->full, s->multiplier);
  s->full_gain = linear_gain(&s->residuals, s->full);
  if (s->result->iterations > 0) { // C_new are the constraints of the point before
    lagrange_slope(s, s->old_slope, s->C_new, s->curved_z);
    copy(s, s->old_slope, s->curved_z);
    lagrange_slope(s, s->slope, s->C, s->curved_z);
    curvature_update(s->curvature, s->trial, s->old_slope, p, s->curved_z);
  }
  s->curved = s->curved && s->full_gain < LARGE_PART * p->objective &&
              curvature_model(s->curvature, p, s->slope, s->scale, s->curved_R, s->curved_z);
  s->model = s->residuals;
  if (s->curved) s->model.R = s->curved_R, s->model.z = s->curved_z;
  s->highest = fmax(s->highest, p->objective);
}

// The largest cosine between a column of R and what the whole step would still change of the residuals; 0 where Kuhn and
// Tucker's conditions hold.
static double cosine(const Sqp *s) {
  int n = s->lsq->n;
  double length = sqrt(2 * s->at->objective), most = 0;
  for (int i = 0; i < n; i++) s->step[i] = 0;
  for (int i = 0; i < n; i++) {
    double change = 0;
    for (int j = i; j < n; j++) change += s->at->R[(size_t)i * n + j] * s->full[j];
    for (int j = i; j < n; j++) s->step[j] += s->at->R[(size_t)i * n + j] * change;
  }
  for (int i = 0; i < n; i++)
    if (s->norm[i] > 0) most = fmax(most, fabs(s->step[i]) / (s->norm[i] * length));
  return most;
}

static bool is_small(const Sqp *s, const double *d) {
  return local_is_small(s->lsq, s->at->x, d, s->options->step_tol);
}

static void take_unseen(Sqp *s) {
  set_point(s, s->at->x, s->full, s->trial->x);
  if (go_to_constraints(s, s->trial->x, 20) == 0) copy(s, s->at->x, s->trial->x);
  end(s, LOCAL_STEP_END);
}

static bool has_converged(Sqp *s) {
  const LocalOptions *o = s->options;
  if (s->violation > 0) return false;
  if (cosine(s) <= o->gradient_tol)
    end(s, LOCAL_GRADIENT_END);
  else if (!o->rough && is_small(s, s->full))
    end(s, LOCAL_STEP_END); // not worth a simulation
  else if (s->full_gain <= o->reduction_tol * s->at->objective)
    end(s, LOCAL_REDUCTION_END);
  else if (o->rough && is_small(s, s->full))
    take_unseen(s);
  return s->ended;
}

// ---------------------------------------------------------------- trials

static double largest(const Sqp *s, const double *d) {
  double most = 0;
  for (int i = 0; i < s->lsq->n; i++) most = fmax(most, fabs(s->scale[i] * d[i]));
  return most;
}

// A violation must cost more than it can gain: that is what the multipliers say.
static void raise_penalty(Sqp *s, double gone) {
  double most = 0;
  for (int k = 0; k < s->m; k++)
    most = fmax(most, fmax(fabs(s->multiplier[k]), fabs(s->multiplier_of_d[k])) * s->length[k]);
  if (s->penalty < 1.5 * most) s->penalty = 2 * most;
  if (gone > 0 && s->gain + 0.5 * s->penalty * gone < 0) s->penalty = -4 * s->gain / gone;
}

static double merit_change(const Sqp *s, double left) {
  return s->penalty * (s->violation - left);
}

static bool propose(Sqp *s) {
  find_step(s, &s->model, s->radius, s->d, s->multiplier_of_d);
  s->limited = largest(s, s->d) >= s->radius;
  set_point(s, s->at->x, s->d, s->trial->x);
  double left = s->m ? go_to_constraints(s, s->trial->x, 8) : 0;
  bool moves = false;
  for (int i = 0; i < s->lsq->n; i++) {
    s->d[i] = s->trial->x[i] - s->at->x[i];
    moves = moves || s->d[i] != 0;
  }
  s->gain = linear_gain(&s->model, s->d);
  if (s->m) raise_penalty(s, s->violation - left);
  s->promise = s->gain + (s->m ? merit_change(s, left) : 0);
  return moves;
}

// Curvature is used next when it would have told the last gain better, and the residuals' model told it badly.
static void choose_model(Sqp *s, double gain) {
  double told = linear_gain(&s->residuals, s->d);
  double curved = told + curvature_gain(s->curvature, s->d);
  s->curved = fabs(told - gain) > 0.2 * fabs(told) && fabs(curved - gain) <= fabs(told - gain);
}

static void judge(Sqp *s, double ratio) {
  double size = largest(s, s->d);
  if (ratio < 0.25)
    s->radius = (ratio > 0 ? 0.5 : 0.25) * fmin(s->radius, size);
  else if (ratio > 0.75)
    s->radius = fmax(s->radius, 2 * size);
}

static void accept(Sqp *s, double ratio, double left) {
  const LocalOptions *o = s->options;
  LocalEnd how;
  double before = s->at->objective, gain = before - s->trial->objective;
  bool done = s->violation == 0 && left == 0 && !s->limited;
  bool small = done && is_small(s, s->d) && is_small(s, s->full);
  bool level = done && fmax(s->gain, s->full_gain) <= o->reduction_tol * before &&
               gain <= o->reduction_tol * before && ratio <= 2;
  choose_model(s, gain);
  copy(s, s->old_slope, s->slope);
  LsqPoint *old = s->at;
  s->at = s->trial;
  s->trial = old;
  s->rejected = 0;
  s->result->iterations++;
  if (s->lsq->accepted) s->lsq->accepted(s->lsq->self, s->at, s->result->iterations);
  if (left == 0 && local_is_good(s->at, o, &how))
    end(s, how);
  else if (small)
    end(s, LOCAL_STEP_END);
  else if (level)
    end(s, LOCAL_REDUCTION_END);
}

// As in descent.c: errors of the simulation, and of rounding.
static double noise(const Sqp *s) {
  double floor = s->lsq->noise, V = s->at->objective;
  if (V <= 1e6 * floor && s->rejected >= 2) {
    double raised = (s->rejected == 2 ? 1e2 : 1e4) * floor;
    if (s->worse <= 2 * sqrt(V * raised) + raised) floor = raised;
  }
  double unknown = V < 1e-14 * s->highest ? 1e-16 * s->highest : 1e-15 * V;
  return fmax(2 * sqrt(V * floor) + floor, unknown);
}

// A search whose steps have become too short to matter.
static LocalEnd end_of_short_steps(const Sqp *s) {
  if (s->violation > 0) return LOCAL_INFEASIBLE_END;
  return s->full_gain <= 1e-3 * s->at->objective ? LOCAL_REDUCTION_END : LOCAL_NO_DESCENT_END;
}

static void reject(Sqp *s) {
  s->rejected++;
  if (s->curved) { // blame the curvature first
    s->curved = false;
    s->model = s->residuals;
    return;
  }
  bool small = is_small(s, s->d);
  if (s->violation == 0 && (s->promise <= noise(s) || (small && !s->limited)))
    end(s, LOCAL_REDUCTION_END);
  else if (small)
    end(s, end_of_short_steps(s));
}

static void try_step(Sqp *s) {
  bool moves = propose(s);
  if (!moves) {
    end(s, s->violation > 0 ? LOCAL_INFEASIBLE_END : LOCAL_STEP_END);
    return;
  }
  if (!(s->promise > 0)) { // constraints bend too much for a step as long as this
    s->worse = HUGE_VAL;
    judge(s, -1);
    reject(s);
    return;
  }
  double left = s->m ? violation(s, s->c_new) : 0, V = s->at->objective;
  double gone = s->m ? merit_change(s, left) : 0;
  LsqEnd how = local_eval(s->lsq, s->trial, V + gone, s->result);
  if (how == LSQ_STOP) {
    end(s, LOCAL_STOPPED_END);
    return;
  }
  double gain = how == LSQ_DONE ? V - s->trial->objective + gone : -HUGE_VAL;
  s->worse = how == LSQ_DONE ? -gain : HUGE_VAL;
  double ratio = gain / s->promise;
  judge(s, ratio);
  if (ratio >= 1e-4)
    accept(s, ratio, left);
  else
    reject(s);
}

// ---------------------------------------------------------------- the search

static LsqEnd eval_start(Sqp *s) {
  LsqEnd e = local_eval(s->lsq, s->at, HUGE_VAL, s->result);
  if (e == LSQ_FAILED && local_move_off_bounds(s->lsq, s->at->x))
    e = local_eval(s->lsq, s->at, HUGE_VAL, s->result);
  return e;
}

// Begins where the constraints hold, if there is such a place: by relative changes of the numbers, as nothing else is known
// of them yet.
static void start(Sqp *s) {
  LocalEnd how;
  copy(s, s->at->x, s->result->best->x);
  local_clamp(s->lsq, s->at->x);
  if (s->m) {
    for (int i = 0; i < s->lsq->n; i++)
      s->scale[i] = 1 / fmax(fabs(s->at->x[i]), s->lsq->typical[i]);
    if (get_constraints(s, s->at->x, s->c_new, s->C_new)) measure_rows(s, s->at->x, s->C_new);
    go_to_constraints(s, s->at->x, 100);
  }
  LsqEnd e = eval_start(s);
  if (s->m && !get_constraints(s, s->at->x, s->c_new, s->C_new)) {
    end(s, e == LSQ_STOP ? LOCAL_STOPPED_END : LOCAL_INFEASIBLE_END);
    return;
  }
  bool ends = local_ends_at_start(e, s->at, s->options, &how);
  if (ends && (e != LSQ_DONE || !s->m || violation(s, s->c_new) == 0)) end(s, how);
}

static void begin(Sqp *s) {
  double most = 0;
  look_around(s);
  for (int i = 0; i < s->lsq->n; i++)
    most = fmax(most, fmax(fabs(s->at->x[i]), s->lsq->typical[i]) * s->scale[i]);
  s->radius = most > 0 ? 10 * most : 1;
}

static void least_squares(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  Arena *a = arena_new();
  Sqp *s = sqp_new(a, lsq, options, result);
  result->iterations = result->evaluations = 0;
  start(s);
  if (!s->ended) begin(s);
  while (!s->ended && !has_converged(s)) {
    int before = result->iterations;
    if (before >= options->max_iterations) end(s, LOCAL_ITERATIONS_END);
    while (!s->ended && result->iterations == before) try_step(s);
    if (!s->ended) look_around(s);
  }
  lsq_point_copy(result->best, s->at, lsq->n);
  arena_free(a);
}

void local_sqp(const Lsq *lsq, const LocalOptions *options, LocalResult *result) {
  if (options->fit && options->fit->sqp == SQP_SLSQP)
    local_slsqp(lsq, options, result);
  else
    least_squares(lsq, options, result);
}
