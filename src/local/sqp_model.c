// The model of the SQP at a point x: second derivatives of the Lagrangian V - multiplier'c, as a triangle R'R, from three parts:
//   R'R of the linear residuals,
//   their curvature (curvature.h), where it predicts gains better,
//   those of the constraints, -sum of multiplier_k * c_k'', by differences of their slopes.
// Multipliers solve slope = C'multiplier + forces of the bounds in the sense of least squares, with the signs that Kuhn and
// Tucker's conditions ask for.
#include "local/sqp_model.h"

#include <math.h>
#include <string.h>

#include "local/common.h"
#include "num/cholesky.h"

SqpModel *sqp_model_new(Arena *a, const Lsq *lsq, SqpConstraints *constraints) {
  int n = lsq->n, m = constraints->m;
  size_t square = (size_t)n * (size_t)n + 1;
  SqpModel *s = ARENA_NEW(a, SqpModel);
  s->lsq = lsq;
  s->constraints = constraints;
  s->curvature = curvature_new(a, n);
  s->forces = lsi_new(a, n + m, n, 0);
  double **by_unknown[] = {&s->slope,  &s->norm,      &s->rest,      &s->full,   &s->seen,
                           &s->unseen, &s->old_slope, &s->curved_Qr, &s->bent_Qr};
  for (size_t i = 0; i < sizeof by_unknown / sizeof *by_unknown; i++)
    *by_unknown[i] = ARENA_ARRAY(a, double, n + 1);
  s->multiplier = ARENA_ARRAY(a, double, m + 1);
  s->step_multiplier = ARENA_ARRAY(a, double, m + 1);
  s->curved_R = ARENA_ARRAY(a, double, square);
  s->bent_R = ARENA_ARRAY(a, double, square);
  s->H = ARENA_ARRAY(a, double, square);
  return s;
}

// ---------------------------------------------------------------- multipliers

// Least squares: slope/scale = sum of force * row, with forces of bounds, too.
static void find_multipliers(SqpModel *s) {
  const SqpConstraints *k = s->constraints;
  const Lsq *lsq = s->lsq;
  const double *x = s->at->x, *scale = k->scale;
  Arena *a = arena_new();
  int n = lsq->n, count = 0, all = k->m + n;
  double *M = ARENA_ARRAY(a, double, (size_t)n *(size_t)all + 1),
         *force = ARENA_ARRAY(a, double, all + 1);
  double *low = ARENA_ARRAY(a, double, all + 1), *high = ARENA_ARRAY(a, double, all + 1);
  double *Qr = ARENA_ARRAY(a, double, n + 1);
  int *owner = ARENA_ARRAY(a, int, all + 1); // by column: the constraint, -1: a bound
  for (int row = 0; row < k->m; row++) {
    // Inequalities that hold now, or held in the last step, may push.
    bool pushes = row < lsq->equalities || k->c[row] / k->length[row] <= k->tol[row] ||
                  s->step_multiplier[row] > 0;
    if (!pushes) continue;
    low[count] = row < lsq->equalities ? -HUGE_VAL : 0, high[count] = HUGE_VAL;
    for (int i = 0; i < n; i++)
      M[(size_t)i * all + count] = k->C[(size_t)row * n + i] / (scale[i] * k->length[row]);
    owner[count++] = row;
  }
  for (int i = 0; i < n; i++) {
    bool at_low = x[i] <= lsq->lower[i], at_high = x[i] >= lsq->upper[i];
    Qr[i] = -s->slope[i] / scale[i];
    if (!at_low && !at_high) continue;
    low[count] = at_high ? -HUGE_VAL : 0, high[count] = at_low ? HUGE_VAL : 0;
    M[(size_t)i * all + count] = 1;
    owner[count++] = -1;
  }
  for (int i = 1; i < n; i++) // closer together
    memmove(M + (size_t)i * count, M + (size_t)i * all, (size_t)count * sizeof *M);
  LsiProblem q = {.n = count, .rows = n, .M = M, .z = Qr, .low = low, .high = high};
  lsi_solve(s->forces, &q, force, NULL);
  for (int row = 0; row < k->m; row++) s->multiplier[row] = 0;
  for (int j = 0; j < count; j++)
    if (owner[j] >= 0) s->multiplier[owner[j]] = force[j] / k->length[owner[j]];
  for (int i = 0; i < n; i++) {
    s->rest[i] = s->slope[i];
    for (int j = 0; j < count; j++) s->rest[i] -= M[(size_t)i * count + j] * force[j] * scale[i];
  }
  arena_free(a);
}

// ---------------------------------------------------------------- curvature of the constraints

// Difference of the rows' slopes, each times its multiplier, along unknown i; inside the bounds.
static bool slope_difference(SqpModel *s, double *x, int i, double *low, double *high,
                             double *out) {
  SqpConstraints *k = s->constraints;
  const Lsq *lsq = s->lsq;
  int n = lsq->n;
  double at = s->at->x[i], h = 1e-5 * fmax(fabs(at), 1e-3 * lsq->typical[i]);
  double down = fmax(at - h, lsq->lower[i]), up = fmin(at + h, lsq->upper[i]);
  if (!(up > down)) { // it cannot move
    memset(out, 0, (size_t)n * sizeof *out);
    return true;
  }
  x[i] = down;
  bool ok = sqp_constraints_eval(k, x, k->c_new, low);
  x[i] = up;
  ok = ok && sqp_constraints_eval(k, x, k->c_new, high);
  x[i] = at;
  for (int j = 0; j < n; j++) {
    out[j] = 0;
    for (int row = 0; row < k->m; row++)
      out[j] -= s->multiplier[row] * (high[(size_t)row * n + j] - low[(size_t)row * n + j]);
    out[j] /= up - down;
  }
  return ok;
}

// H: second derivatives of -multiplier'c, in scaled unknowns. Values of constraints cost nothing, so differences of their
// slopes are good enough.
static bool constraint_curvature(SqpModel *s, double *H, double *largest) {
  const double *scale = s->constraints->scale;
  Arena *a = arena_new();
  int n = s->lsq->n;
  size_t wide = (size_t)s->constraints->m * (size_t)n;
  double *low = ARENA_ARRAY(a, double, wide), *high = ARENA_ARRAY(a, double, wide);
  double *x = ARENA_ARRAY(a, double, n), *row = ARENA_ARRAY(a, double, n);
  bool ok = true;
  memcpy(x, s->at->x, (size_t)n * sizeof *x);
  memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
  for (int i = 0; i < n && ok; i++) {
    ok = slope_difference(s, x, i, low, high, row);
    for (int j = 0; j < n; j++) {
      double half = row[j] / (2 * scale[i] * scale[j]);
      H[(size_t)i * n + j] += half;
      H[(size_t)j * n + i] += half;
    }
  }
  *largest = 0;
  for (int i = 0; i < n * n; i++) *largest = fmax(*largest, fabs(H[i]));
  arena_free(a);
  return ok && isfinite(*largest);
}

// R'R = that of the objective + H + weight * (squares of the rows that push), which changes nothing along these, and makes
// convex what is convex there. Qr so that R'Qr is the slope, with that of the squares. False: not positive definite.
static bool add_curvature(SqpModel *s, const double *H, double weight, double *R, double *Qr) {
  const SqpConstraints *k = s->constraints;
  const double *scale = k->scale, *from = s->objective.R;
  int n = s->lsq->n;
  for (int i = 0; i < n; i++) {
    Qr[i] = s->slope[i] / scale[i];
    for (int j = i; j < n; j++) {
      double sum = 0;
      for (int l = 0; l <= i; l++) sum += from[(size_t)l * n + i] * from[(size_t)l * n + j];
      R[(size_t)i * n + j] = sum / (scale[i] * scale[j]) + H[(size_t)i * n + j];
    }
  }
  for (int row = 0; row < k->m; row++) {
    if (row >= s->lsq->equalities && !(s->multiplier[row] > 0)) continue;
    const double *C = k->C + (size_t)row * n;
    double square = k->length[row] * k->length[row];
    for (int i = 0; i < n; i++) {
      Qr[i] += weight * C[i] / scale[i] * k->c[row] / square;
      for (int j = i; j < n; j++)
        R[(size_t)i * n + j] += weight * C[i] * C[j] / (scale[i] * scale[j] * square);
    }
  }
  if (!cholesky(n, R, 1e-6)) return false;
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < i; l++) Qr[i] -= R[(size_t)l * n + i] * Qr[l];
    Qr[i] /= R[(size_t)i * n + i];
  }
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) R[(size_t)i * n + j] *= scale[j];
  return true;
}

// The objective with the curvature of the constraints, or the objective alone where there is none, or where the sum is not
// convex along the constraints.
static LinearModel lagrangian_of(SqpModel *s) {
  const SqpConstraints *k = s->constraints;
  double largest;
  if (k->m == 0 || k->violation == HUGE_VAL) return s->objective;
  if (!constraint_curvature(s, s->H, &largest) || largest < 1e-12) return s->objective;
  double most = 2e3 * largest;
  for (double weight = 0; weight<most; weight = weight> 0 ? 10 * weight : largest)
    if (add_curvature(s, s->H, weight, s->bent_R, s->bent_Qr))
      return (LinearModel){s->lsq->n, s->bent_R, s->bent_Qr, k->scale, NULL, NULL};
  return s->objective;
}

// ---------------------------------------------------------------- the model at a point

// The step to the minimum of the model under the constraints.
static void aim(SqpModel *s) {
  s->lagrangian = lagrangian_of(s);
  sqp_find_step(s->constraints, s->at->x, &s->lagrangian, HUGE_VAL, s->full, s->step_multiplier);
  s->full_gain = linear_gain(&s->lagrangian, s->full);
}

void sqp_model_use_residuals(SqpModel *s) {
  s->curved = false;
  s->objective = s->residuals;
  aim(s);
}

// Where the residuals can be made smaller by this part of the objective, their own model is the best one.
static const double LARGE_PART = 0.3;

void sqp_model_look(SqpModel *s, const LsqPoint *p, const LsqPoint *before) {
  int n = s->lsq->n;
  double *scale = s->constraints->scale, length = sqrt(2 * p->objective);
  bool curved = s->curved;
  s->at = p;
  linear_slope(n, p->R, p->Qr, s->slope, s->norm);
  for (int i = 0; i < n; i++) {
    double size = fmax(fabs(p->x[i]), s->lsq->typical[i]);
    s->seen[i] = fmax(s->seen[i], s->norm[i]);
    s->unseen[i] = fmax(s->unseen[i], length / size);
    scale[i] = s->seen[i] > 0 ? s->seen[i] : s->unseen[i] > 0 ? s->unseen[i] : 1;
  }
  if (s->constraints->m) sqp_constraints_take(s->constraints, p->x);
  find_multipliers(s);
  s->residuals = (LinearModel){n, p->R, p->Qr, scale, NULL, NULL};
  if (before) curvature_update(s->curvature, before, s->old_slope, p, s->slope);
  sqp_model_use_residuals(s);
  s->curved = curved && s->full_gain < LARGE_PART * p->objective &&
              curvature_model(s->curvature, p, s->slope, scale, s->curved_R, s->curved_Qr);
  if (!s->curved) return;
  s->objective.R = s->curved_R, s->objective.Qr = s->curved_Qr;
  aim(s);
}

// ---------------------------------------------------------------- for other methods

bool sqp_reach_constraints(const Lsq *lsq, double *x) {
  Arena *a = arena_new();
  double *to = ARENA_ARRAY(a, double, lsq->n + 1);
  if (lsq->n) memcpy(to, x, (size_t)lsq->n * sizeof *x);
  bool reached = sqp_reach(sqp_constraints_new(a, lsq), to) == 0;
  if (reached && lsq->n) memcpy(x, to, (size_t)lsq->n * sizeof *x);
  arena_free(a);
  return reached;
}

double sqp_promise(const Lsq *lsq, const LsqPoint *p, double part) {
  Arena *a = arena_new();
  SqpConstraints *k = sqp_constraints_new(a, lsq);
  SqpModel *m = sqp_model_new(a, lsq, k);
  double gain = 0;
  if (sqp_constraints_eval(k, p->x, k->c_new, k->C_new)) {
    sqp_model_look(m, p, NULL);
    if (!local_is_small(lsq, p->x, m->full, part)) gain = fmax(0, m->full_gain);
  }
  arena_free(a);
  return gain;
}
