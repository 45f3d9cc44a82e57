// Linear systems: LU factors with partial pivoting, P A = L U (Golub and Van Loan, Matrix Computations, section 3.4); the
// transposed system uses the same factors. Four lanes at a time use vectors; each lane has its own pivots.
//
// Nonlinear systems: Newton's method with an exact Jacobian, z += s d with J d = -r. The step factor s is halved until the
// natural monotonicity test holds, |J(z)^-1 r(z + s d)| <= (1 - s/4) |d| (Deuflhard, Newton Methods for Nonlinear
// Problems, 2004, section 3.3). The last solution is the next first guess.
#include "code/blocks.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/vec.h"

// ---------------------------------------------------------------- linear systems, one lane, numbers `step` apart

#define A(i, j) a[(size_t)((i)*n + (j)) * step]

static void swap_rows(double *a, int n, size_t step, int i, int k) {
  for (int j = 0; j < n; j++) {
    double t = A(i, j);
    A(i, j) = A(k, j);
    A(k, j) = t;
  }
}

static int pivot_row(const double *a, int n, size_t step, int k) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(A(i, k)) > fabs(A(best, k))) best = i;
  return best;
}

static void factor(double *a, double *pivots, int n, size_t step) {
  for (int k = 0; k < n; k++) {
    int p = pivot_row(a, n, step, k);
    pivots[(size_t)k * step] = p;
    if (p != k) swap_rows(a, n, step, p, k);
    for (int i = k + 1; i < n; i++) {
      double m = A(i, k) / A(k, k); // a zero pivot makes NaN or infinity: the caller sees it
      A(i, k) = m;
      for (int j = k + 1; j < n; j++) A(i, j) -= m * A(k, j);
    }
  }
}

static void swap_numbers(double *x, double *y) {
  double t = *x;
  *x = *y;
  *y = t;
}

#define B(i) b[(size_t)(i)*step]

static void solve(const double *a, const double *pivots, int n, size_t step, double *b) {
  for (int k = 0; k < n; k++) {
    int p = (int)pivots[(size_t)k * step];
    if (p != k) swap_numbers(&B(k), &B(p));
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) B(i) -= A(i, j) * B(j);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) B(i) -= A(i, j) * B(j);
    B(i) /= A(i, i);
  }
}

static void solve_transposed(const double *a, const double *pivots, int n, size_t step, double *b) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) B(i) -= A(j, i) * B(j);
    B(i) /= A(i, i);
  }
  for (int i = n - 2; i >= 0; i--)
    for (int j = i + 1; j < n; j++) B(i) -= A(j, i) * B(j);
  for (int k = n - 1; k >= 0; k--) {
    int p = (int)pivots[(size_t)k * step];
    if (p != k) swap_numbers(&B(k), &B(p));
  }
}

#define VEC_KERNELS "code/blocks_kernels.inc"
#include "num/vec_twice.inc"

typedef struct LinearKernels { // four lanes at once
  void (*factor)(double *a, double *pivots, int n, size_t step);
  void (*solve[2])(const double *a, const double *pivots, int n, size_t step,
                   double *b); // [1]: transposed
} LinearKernels;

static const LinearKernels PLAIN = {factor_four_plain,
                                    {solve_four_plain, solve_transposed_four_plain}};
static const LinearKernels WIDE = {VEC_BEST(factor_four),
                                   {VEC_BEST(solve_four), VEC_BEST(solve_transposed_four)}};

void block_factor(const CodeBlock *self, double *work, int lanes) {
  const FactorData *d = self->data;
  const LinearKernels *four = d->wide ? &WIDE : &PLAIN;
  double *a = work + (size_t)d->matrix * (size_t)lanes,
         *pivots = work + (size_t)d->pivots * (size_t)lanes;
  int lane = 0;
  for (; lane + 4 <= lanes; lane += 4) four->factor(a + lane, pivots + lane, d->n, (size_t)lanes);
  for (; lane < lanes; lane++) factor(a + lane, pivots + lane, d->n, (size_t)lanes);
}

void block_solve(const CodeBlock *self, double *work, int lanes) {
  const SolveData *d = self->data;
  const LinearKernels *four = d->factor.wide ? &WIDE : &PLAIN;
  const double *a = work + (size_t)d->factor.matrix * (size_t)lanes,
               *pivots = work + (size_t)d->factor.pivots * (size_t)lanes;
  double *b = work + (size_t)d->right * (size_t)lanes;
  int lane = 0, n = d->factor.n;
  size_t step = (size_t)lanes;
  for (; lane + 4 <= lanes; lane += 4)
    four->solve[d->transposed](a + lane, pivots + lane, n, step, b + lane);
  for (; lane < lanes; lane++)
    if (d->transposed)
      solve_transposed(a + lane, pivots + lane, n, step, b + lane);
    else
      solve(a + lane, pivots + lane, n, step, b + lane);
}

// ---------------------------------------------------------------- Newton's method

enum { ITERATIONS = 60, HALVINGS = 20 };

typedef struct Newton { // of one lane, contiguous
  const NewtonData *d;
  double *in, *z, *out, *lu, *pivots, *step, *trial, *trial_step, *work;
} Newton;

int newton_scratch(int n, int inputs, int code_work) {
  return inputs + 4 * n + (n + n * n) + n * n + n + code_work +
         8; // 8: alignment of the code's work
}

static double *take(double **at, int count) {
  double *p = *at;
  *at += count;
  return p;
}

static Newton newton_at(const NewtonData *d, double *scratch) {
  int n = d->n;
  Newton w = {.d = d};
  uintptr_t aligned = ((uintptr_t)scratch + 63) / 64 * 64;
  w.work = (double *)aligned;
  double *at = w.work + d->code->work_count;
  w.in = take(&at, d->inputs);
  w.z = take(&at, n);
  w.out = take(&at, n + n * n);
  w.lu = take(&at, n * n);
  w.pivots = take(&at, n);
  w.step = take(&at, n);
  w.trial = take(&at, n);
  w.trial_step = take(&at, n);
  return w;
}

static bool all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static bool residual_at(Newton *w, const double *z) {
  code_run(w->d->code, w->in, z, NULL, w->out, w->work);
  return all_finite(w->out, w->d->n);
}

// Newton step for the residual in out with the factor in lu.
static bool step_from_factor(Newton *w, double *step) {
  int n = w->d->n;
  for (int i = 0; i < n; i++) step[i] = -w->out[i];
  solve(w->lu, w->pivots, n, 1, step);
  return all_finite(step, n);
}

static bool factor_here(Newton *w) {
  int n = w->d->n;
  memcpy(w->lu, w->out + n, (size_t)(n * n) * sizeof *w->lu);
  if (!all_finite(w->lu, n * n)) return false;
  factor(w->lu, w->pivots, n, 1);
  return true;
}

static double relative_size(const double *step, const double *z, int n, double least) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double scale = fmax(fabs(z[i]), least);
    largest = fmax(largest, fabs(step[i]) / scale);
  }
  return largest;
}

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// Natural monotonicity test (Deuflhard): the simplified Newton step from the trial point must be shorter.
static bool damped_move(Newton *w) {
  int n = w->d->n;
  double full = norm(w->step, n), damping = 1;
  for (int k = 0; k < HALVINGS; k++, damping /= 2) {
    for (int i = 0; i < n; i++) w->trial[i] = w->z[i] + damping * w->step[i];
    if (!residual_at(w, w->trial) || !step_from_factor(w, w->trial_step)) continue;
    if (norm(w->trial_step, n) > (1 - damping / 4) * full) continue;
    memcpy(w->z, w->trial, (size_t)n * sizeof *w->z);
    return true;
  }
  return false;
}

static bool newton_from_z(Newton *w) {
  int n = w->d->n;
  double before = HUGE_VAL;
  if (!all_finite(w->z, n)) return false;
  for (int k = 0; k < ITERATIONS; k++) {
    if (!residual_at(w, w->z) || !factor_here(w) || !step_from_factor(w, w->step)) return false;
    double size = relative_size(w->step, w->z, n, 1e-8);
    bool settled = size <= 4e-16 || (size <= 1e-9 && size > 0.25 * before); // rounding is reached
    if (settled || size <= 1e-14) {
      for (int i = 0; i < n; i++) w->z[i] += w->step[i];
      return true;
    }
    before = size;
    // with an exact Jacobian a move fails at rounding only, which is absolute for a solution near 0
    if (!damped_move(w)) return relative_size(w->step, w->z, n, 1e-4) <= 1e-9;
  }
  return false;
}

// Where the derivative vanishes at the first guess (q^2 = h at q = 0) a guess beside it may do.
static const double BESIDE[] = {0, 0.01, -0.01, 1, -1};

static bool newton_from_start(Newton *w, const double *start, size_t lanes) {
  int n = w->d->n;
  for (size_t k = 0; k < sizeof BESIDE / sizeof *BESIDE; k++) {
    for (int i = 0; i < n; i++) {
      double z = start[(size_t)i * lanes];
      w->z[i] = z + BESIDE[k] * fmax(1, fabs(z));
    }
    if (newton_from_z(w)) return true;
  }
  return false;
}

static void newton_lane(const NewtonData *d, Newton *w, double *work, size_t lanes, size_t lane) {
  double *state = work + (size_t)d->state * lanes + lane;
  double *solution = work + (size_t)d->solution * lanes + lane,
         *start = work + (size_t)d->start * lanes + lane;
  for (int i = 0; i < d->inputs; i++)
    w->in[i] = work[((size_t)d->input + (size_t)i) * lanes + lane];
  bool solved = false;
  if (*state == 1) {
    for (int i = 0; i < d->n; i++) w->z[i] = solution[(size_t)i * lanes];
    solved = newton_from_z(w);
  }
  if (!solved) solved = newton_from_start(w, start, lanes);
  *state = solved ? 1 : -1;
  for (int i = 0; i < d->n; i++) solution[(size_t)i * lanes] = solved ? w->z[i] : nan("");
}

void block_newton(const CodeBlock *self, double *work, int lanes) {
  const NewtonData *d = self->data;
  Newton w = newton_at(d, work + (size_t)d->scratch * (size_t)lanes);
  for (int lane = 0; lane < lanes; lane++) newton_lane(d, &w, work, (size_t)lanes, (size_t)lane);
}
