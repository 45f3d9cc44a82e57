// Gauss-Newton SQP: what it does with constraints.
#include <math.h>
#include <string.h>

#include "local/sqp_parts.h"
#include "num/cholesky.h"

// Met when a relative change of the numbers by this would meet them exactly.
static const double FEASIBLE = 1e-10;

bool sqp_constraints(const Sqp *s, const double *x, double *c, double *C) {
  if (s->m == 0) return true;
  s->lsq->constraints(s->lsq->self, x, c, C);
  for (int k = 0; k < s->m; k++)
    if (!isfinite(c[k])) return false;
  for (size_t i = 0; C && i < (size_t)s->m * (size_t)s->lsq->n; i++)
    if (!isfinite(C[i])) return false;
  return true;
}

void sqp_measure(Sqp *s, const double *x, const double *C) {
  int n = s->lsq->n;
  for (int k = 0; k < s->m; k++) {
    double squares = 0, size = 0;
    for (int i = 0; i < n; i++) {
      double slope = C[(size_t)k * n + i];
      squares += (slope / s->scale[i]) * (slope / s->scale[i]);
      size += fabs(slope) * local_size(s->lsq, x, i);
    }
    s->length[k] = fmax(s->length[k], sqrt(squares));
    if (s->length[k] == 0) s->length[k] = 1;
    s->tol[k] = FEASIBLE * size / s->length[k];
  }
}

static double violation_of(const Sqp *s, const double *c, int k) {
  double by = k < s->lsq->equalities ? fabs(c[k]) : fmax(0, -c[k]);
  by /= s->length[k];
  return by > s->tol[k] ? by : 0;
}

double sqp_violation(const Sqp *s, const double *c) {
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

void sqp_set_point(const Sqp *s, const double *from, const double *d, double *x) {
  for (int i = 0; i < s->lsq->n; i++) {
    double low = s->lsq->lower[i], high = s->lsq->upper[i], to = from[i] + d[i];
    if (d[i] <= low - from[i]) to = low;
    if (d[i] >= high - from[i]) to = high;
    x[i] = fmin(fmax(to, low), high);
  }
}

// Part of the trust region that is left to the constraints; the rest is for the residuals.
static const double FOR_CONSTRAINTS = 0.8;

void sqp_find_step(Sqp *s, const LinearModel *m, double radius, double *d, double *multiplier) {
  int n = s->lsq->n;
  const double *x = s->at->x;
  LsiProblem q = step_problem(s, x, s->c, s->C, FOR_CONSTRAINTS * radius);
  lsi_nearest(s->lsi, &q, s->step);
  q = step_problem(s, x, s->c, s->C, radius);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s->M[(size_t)i * n + j] = j >= i ? m->R[(size_t)i * n + j] / s->scale[j] : 0;
  q.rows = n, q.M = s->M, q.z = m->Qr;
  lsi_solve(s->lsi, &q, s->step, multiplier);
  for (int i = 0; i < n; i++) {
    d[i] = s->step[i] / s->scale[i];
    if (s->step[i] <= (s->lsq->lower[i] - x[i]) * s->scale[i]) d[i] = s->lsq->lower[i] - x[i];
    if (s->step[i] >= (s->lsq->upper[i] - x[i]) * s->scale[i]) d[i] = s->lsq->upper[i] - x[i];
  }
}

double sqp_go_to_constraints(Sqp *s, double *x, int steps_most) {
  Arena *scratch = arena_new();
  int n = s->lsq->n;
  double *next = ARENA_ARRAY(scratch, double, n + 1), *d = ARENA_ARRAY(scratch, double, n + 1);
  double left = sqp_constraints(s, x, s->c_new, s->C_new) ? sqp_violation(s, s->c_new) : HUGE_VAL;
  for (int step = 0; step < steps_most && left > 0 && left < HUGE_VAL; step++) {
    LsiProblem q = step_problem(s, x, s->c_new, s->C_new, HUGE_VAL);
    lsi_nearest(s->lsi, &q, s->step);
    double before = left, part = 1;
    for (; part > 1e-3; part /= 2) {
      for (int i = 0; i < n; i++) d[i] = part * s->step[i] / s->scale[i];
      sqp_set_point(s, x, d, next);
      left = sqp_constraints(s, next, s->c_new, s->C_new) ? sqp_violation(s, s->c_new) : HUGE_VAL;
      if (left < (1 - 0.1 * part) * before) break;
    }
    if (part > 1e-3) {
      memcpy(x, next, (size_t)n * sizeof *x);
      continue;
    }
    left = before;
    sqp_constraints(s, x, s->c_new, s->C_new);
    break;
  }
  arena_free(scratch);
  return left;
}

// ---------------------------------------------------------------- forces

// Inequalities that hold now, or held in the last step, may push.
static bool pushes(const Sqp *s, int k) {
  if (k < s->lsq->equalities) return true;
  return s->c[k] / s->length[k] <= s->tol[k] || s->multiplier_of_d[k] > 0;
}

// Least squares: slope/scale = sum of force * row, with forces of bounds, too.
void sqp_find_forces(Sqp *s) {
  Arena *a = arena_new();
  int n = s->lsq->n, count = 0, all = s->m + n;
  double *M = ARENA_ARRAY(a, double, (size_t)n *(size_t)all + 1),
         *force = ARENA_ARRAY(a, double, all + 1);
  double *low = ARENA_ARRAY(a, double, all + 1), *high = ARENA_ARRAY(a, double, all + 1);
  double *Qr = ARENA_ARRAY(a, double, n + 1);
  int *number = ARENA_ARRAY(a, int, all + 1); // by column: the constraint, -1: a bound
  for (int k = 0; k < s->m; k++) {
    if (!pushes(s, k)) continue;
    low[count] = k < s->lsq->equalities ? -HUGE_VAL : 0, high[count] = HUGE_VAL;
    for (int i = 0; i < n; i++)
      M[(size_t)i * all + count] = s->C[(size_t)k * n + i] / (s->scale[i] * s->length[k]);
    number[count++] = k;
  }
  for (int i = 0; i < n; i++) {
    bool at_low = s->at->x[i] <= s->lsq->lower[i], at_high = s->at->x[i] >= s->lsq->upper[i];
    Qr[i] = -s->slope[i] / s->scale[i];
    if (!at_low && !at_high) continue;
    low[count] = at_high ? -HUGE_VAL : 0, high[count] = at_low ? HUGE_VAL : 0;
    M[(size_t)i * all + count] = 1;
    number[count++] = -1;
  }
  for (int i = 1; i < n; i++) // closer together
    memmove(M + (size_t)i * count, M + (size_t)i * all, (size_t)count * sizeof *M);
  LsiProblem q = {.n = count, .rows = n, .M = M, .z = Qr, .low = low, .high = high};
  lsi_solve(s->forces, &q, force, NULL);
  for (int k = 0; k < s->m; k++) s->multiplier[k] = 0;
  for (int j = 0; j < count; j++)
    if (number[j] >= 0) s->multiplier[number[j]] = force[j] / s->length[number[j]];
  for (int i = 0; i < n; i++) {
    s->rest[i] = s->slope[i];
    for (int j = 0; j < count; j++) s->rest[i] -= M[(size_t)i * count + j] * force[j] * s->scale[i];
  }
  arena_free(a);
}

// ---------------------------------------------------------------- curvature

// Difference of the rows' slopes, each times its multiplier, along number i; inside the bounds.
static bool slope_difference(Sqp *s, double *x, int i, double *low, double *high, double *out) {
  int n = s->lsq->n;
  double at = s->at->x[i], h = 1e-5 * fmax(fabs(at), 1e-3 * s->lsq->typical[i]);
  double down = fmax(at - h, s->lsq->lower[i]), up = fmin(at + h, s->lsq->upper[i]);
  if (!(up > down)) { // it cannot move
    memset(out, 0, (size_t)n * sizeof *out);
    return true;
  }
  x[i] = down;
  bool ok = sqp_constraints(s, x, s->c_new, low);
  x[i] = up;
  ok = ok && sqp_constraints(s, x, s->c_new, high);
  x[i] = at;
  for (int j = 0; j < n; j++) {
    out[j] = 0;
    for (int k = 0; k < s->m; k++)
      out[j] -= s->multiplier[k] * (high[(size_t)k * n + j] - low[(size_t)k * n + j]);
    out[j] /= up - down;
  }
  return ok;
}

// H: second derivatives of -multiplier'c, in scaled numbers. Values of constraints cost nothing, so differences of their
// slopes will do.
static bool constraint_curvature(Sqp *s, double *H, double *largest) {
  Arena *a = arena_new();
  int n = s->lsq->n;
  size_t wide = (size_t)s->m * (size_t)n;
  double *low = ARENA_ARRAY(a, double, wide), *high = ARENA_ARRAY(a, double, wide);
  double *x = ARENA_ARRAY(a, double, n), *row = ARENA_ARRAY(a, double, n);
  bool ok = true;
  memcpy(x, s->at->x, (size_t)n * sizeof *x);
  memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
  for (int i = 0; i < n && ok; i++) {
    ok = slope_difference(s, x, i, low, high, row);
    for (int j = 0; j < n; j++) {
      double half = row[j] / (2 * s->scale[i] * s->scale[j]);
      H[(size_t)i * n + j] += half;
      H[(size_t)j * n + i] += half;
    }
  }
  *largest = 0;
  for (int i = 0; i < n * n; i++) *largest = fmax(*largest, fabs(H[i]));
  arena_free(a);
  return ok && isfinite(*largest);
}

// R'R = that of the model + H + weight * (squares of the rows that push), which changes nothing along these, and makes
// convex what is convex there. Qr so that R'Qr is the slope, with that of the squares.
static bool add_curvature(Sqp *s, const LinearModel *from, const double *H, double weight,
                          double *R, double *Qr) {
  int n = s->lsq->n;
  for (int i = 0; i < n; i++) {
    Qr[i] = s->slope[i] / s->scale[i];
    for (int j = i; j < n; j++) {
      double sum = 0;
      for (int k = 0; k <= i; k++) sum += from->R[(size_t)k * n + i] * from->R[(size_t)k * n + j];
      R[(size_t)i * n + j] = sum / (s->scale[i] * s->scale[j]) + H[(size_t)i * n + j];
    }
  }
  for (int k = 0; k < s->m; k++) {
    if (k >= s->lsq->equalities && !(s->multiplier[k] > 0)) continue;
    const double *C = s->C + (size_t)k * n;
    double square = s->length[k] * s->length[k];
    for (int i = 0; i < n; i++) {
      Qr[i] += weight * C[i] / s->scale[i] * s->c[k] / square;
      for (int j = i; j < n; j++)
        R[(size_t)i * n + j] += weight * C[i] * C[j] / (s->scale[i] * s->scale[j] * square);
    }
  }
  if (!cholesky(n, R, 1e-6)) return false;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) Qr[i] -= R[(size_t)k * n + i] * Qr[k];
    Qr[i] /= R[(size_t)i * n + i];
  }
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) R[(size_t)i * n + j] *= s->scale[j];
  return true;
}

bool sqp_bend(Sqp *s, const LinearModel *from, LinearModel *to) {
  double largest;
  int n = s->lsq->n;
  if (s->m == 0 || s->violation == HUGE_VAL) return false;
  if (!constraint_curvature(s, s->H, &largest) || largest < 1e-12) return false;
  for (double weight = 0; weight<2e3 * largest; weight = weight> 0 ? 10 * weight : largest)
    if (add_curvature(s, from, s->H, weight, s->bent_R, s->bent_z)) {
      *to = (LinearModel){n, s->bent_R, s->bent_z, s->scale, NULL, NULL};
      return true;
    }
  return false;
}
