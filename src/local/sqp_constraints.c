// Constraints c(x) = 0 and c(x) >= 0 of the SQP. A violation counts by how long a step in scaled unknowns removes it:
// |c_k| / max |row k of C/scale|. Steps are solutions of LSI problems (num/lsi.h): least squares under linear constraints.
#include "local/sqp_constraints.h"

#include <math.h>
#include <string.h>

#include "local/common.h"

SqpConstraints *sqp_constraints_new(Arena *a, const Lsq *lsq) {
  int n = lsq->n, m = lsq->constraints ? lsq->equalities + lsq->inequalities : 0;
  size_t square = (size_t)n * (size_t)n + 1, wide = (size_t)m * (size_t)n + 1;
  SqpConstraints *k = ARENA_NEW(a, SqpConstraints);
  k->lsq = lsq;
  k->m = m;
  k->lsi = lsi_new(a, n, n, m);
  double **by_unknown[] = {&k->scale, &k->low, &k->high, &k->step};
  for (size_t i = 0; i < sizeof by_unknown / sizeof *by_unknown; i++)
    *by_unknown[i] = ARENA_ARRAY(a, double, n + 1);
  double **by_constraint[] = {&k->c, &k->c_new, &k->length, &k->tol, &k->b};
  for (size_t i = 0; i < sizeof by_constraint / sizeof *by_constraint; i++)
    *by_constraint[i] = ARENA_ARRAY(a, double, m + 1);
  k->C = ARENA_ARRAY(a, double, wide);
  k->C_new = ARENA_ARRAY(a, double, wide);
  k->A = ARENA_ARRAY(a, double, wide);
  k->M = ARENA_ARRAY(a, double, square);
  return k;
}

bool sqp_constraints_eval(const SqpConstraints *k, const double *x, double *c, double *C) {
  if (k->m == 0) return true;
  k->lsq->constraints(k->lsq->self, x, c, C);
  for (int i = 0; i < k->m; i++)
    if (!isfinite(c[i])) return false;
  for (size_t i = 0; C && i < (size_t)k->m * (size_t)k->lsq->n; i++)
    if (!isfinite(C[i])) return false;
  return true;
}

// A constraint is met when a relative change of the unknowns by this would meet it exactly.
static const double FEASIBLE = 1e-10;

void sqp_constraints_measure(SqpConstraints *k, const double *x, const double *C) {
  int n = k->lsq->n;
  for (int row = 0; row < k->m; row++) {
    double squares = 0, size = 0;
    for (int i = 0; i < n; i++) {
      double slope = C[(size_t)row * n + i];
      squares += (slope / k->scale[i]) * (slope / k->scale[i]);
      size += fabs(slope) * local_size(k->lsq, x, i);
    }
    k->length[row] = fmax(k->length[row], sqrt(squares));
    if (k->length[row] == 0) k->length[row] = 1;
    k->tol[row] = FEASIBLE * size / k->length[row];
  }
}

void sqp_constraints_take(SqpConstraints *k, const double *x) {
  double *C = k->C, *c = k->c;
  k->C = k->C_new, k->C_new = C;
  k->c = k->c_new, k->c_new = c;
  sqp_constraints_measure(k, x, k->C);
  k->violation = sqp_violation(k, k->c);
}

double sqp_violation(const SqpConstraints *k, const double *c) {
  double sum = 0;
  for (int row = 0; row < k->m; row++) {
    double by = row < k->lsq->equalities ? fabs(c[row]) : fmax(0, -c[row]);
    by /= k->length[row];
    sum += by > k->tol[row] ? by : 0;
  }
  return sum;
}

// ---------------------------------------------------------------- steps

// The problem of a step from x in scaled unknowns: constraints c + C d, |d| at most `radius` of each.
static LsiProblem step_problem(SqpConstraints *k, const double *x, const double *c, const double *C,
                               double radius) {
  const Lsq *lsq = k->lsq;
  int n = lsq->n;
  for (int i = 0; i < n; i++) {
    k->low[i] = fmax((lsq->lower[i] - x[i]) * k->scale[i], -radius);
    k->high[i] = fmin((lsq->upper[i] - x[i]) * k->scale[i], radius);
  }
  for (int row = 0; row < k->m; row++) {
    k->b[row] = -c[row];
    for (int i = 0; i < n; i++) k->A[(size_t)row * n + i] = C[(size_t)row * n + i] / k->scale[i];
  }
  bool any = k->m > 0;
  return (LsiProblem){.n = n,
                      .low = k->low,
                      .high = k->high,
                      .equalities = any ? lsq->equalities : 0,
                      .inequalities = any ? lsq->inequalities : 0,
                      .A = k->A,
                      .b = k->b};
}

void sqp_set_point(const Lsq *lsq, const double *from, const double *d, double *x) {
  for (int i = 0; i < lsq->n; i++) {
    double low = lsq->lower[i], high = lsq->upper[i], to = from[i] + d[i];
    if (d[i] <= low - from[i]) to = low;
    if (d[i] >= high - from[i]) to = high;
    x[i] = fmin(fmax(to, low), high);
  }
}

// Part of the trust region that is left to the constraints; the rest is for the residuals.
static const double FOR_CONSTRAINTS = 0.8;

void sqp_find_step(SqpConstraints *k, const double *x, const LinearModel *m, double radius,
                   double *d, double *multiplier) {
  const Lsq *lsq = k->lsq;
  int n = lsq->n;
  LsiProblem q = step_problem(k, x, k->c, k->C, FOR_CONSTRAINTS * radius);
  lsi_nearest(k->lsi, &q, k->step);
  q = step_problem(k, x, k->c, k->C, radius);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      k->M[(size_t)i * n + j] = j >= i ? m->R[(size_t)i * n + j] / k->scale[j] : 0;
  q.rows = n, q.M = k->M, q.z = m->Qr;
  lsi_solve(k->lsi, &q, k->step, multiplier);
  for (int i = 0; i < n; i++) {
    d[i] = k->step[i] / k->scale[i];
    if (k->step[i] <= (lsq->lower[i] - x[i]) * k->scale[i]) d[i] = lsq->lower[i] - x[i];
    if (k->step[i] >= (lsq->upper[i] - x[i]) * k->scale[i]) d[i] = lsq->upper[i] - x[i];
  }
}

static double violation_at(SqpConstraints *k, const double *x) {
  return sqp_constraints_eval(k, x, k->c_new, k->C_new) ? sqp_violation(k, k->c_new) : HUGE_VAL;
}

double sqp_restore(SqpConstraints *k, double *x, int steps_most) {
  Arena *scratch = arena_new();
  int n = k->lsq->n;
  double *next = ARENA_ARRAY(scratch, double, n + 1), *d = ARENA_ARRAY(scratch, double, n + 1);
  double left = violation_at(k, x);
  for (int step = 0; step < steps_most && left > 0 && left < HUGE_VAL; step++) {
    LsiProblem q = step_problem(k, x, k->c_new, k->C_new, HUGE_VAL);
    lsi_nearest(k->lsi, &q, k->step);
    double before = left, part = 1;
    for (; part > 1e-3; part /= 2) {
      for (int i = 0; i < n; i++) d[i] = part * k->step[i] / k->scale[i];
      sqp_set_point(k->lsq, x, d, next);
      left = violation_at(k, next);
      if (left < (1 - 0.1 * part) * before) break;
    }
    if (part > 1e-3) {
      memcpy(x, next, (size_t)n * sizeof *x);
      continue;
    }
    left = before;
    sqp_constraints_eval(k, x, k->c_new, k->C_new);
    break;
  }
  arena_free(scratch);
  return left;
}

double sqp_reach(SqpConstraints *k, double *x) {
  for (int i = 0; i < k->lsq->n; i++) k->scale[i] = 1 / fmax(fabs(x[i]), k->lsq->typical[i]);
  if (sqp_constraints_eval(k, x, k->c_new, k->C_new)) sqp_constraints_measure(k, x, k->C_new);
  return sqp_restore(k, x, 100);
}
