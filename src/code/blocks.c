// Linear systems: LU factors with partial pivoting, P A = L U (Golub and Van Loan, Matrix Computations, section 3.4); the
// transposed system uses the same factors. Four lanes at a time use vectors; each lane has its own pivots.
#include "code/blocks.h"

#include <math.h>

#include "code/loose.h"
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

void linear_factor(double *a, double *pivots, int n) {
  factor(a, pivots, n, 1);
}

void linear_solve(const double *a, const double *pivots, int n, double *b) {
  solve(a, pivots, n, 1, b);
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
  for (; lane < lanes && d->loose; lane++)
    loose_factor(a + lane, pivots + lane, d->n, (size_t)lanes);
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
  for (; lane < lanes && d->factor.loose; lane++)
    (d->transposed ? loose_solve_transposed : loose_solve)(a + lane, pivots + lane, n, step,
                                                           b + lane);
  for (; lane + 4 <= lanes; lane += 4)
    four->solve[d->transposed](a + lane, pivots + lane, n, step, b + lane);
  for (; lane < lanes; lane++)
    if (d->transposed)
      solve_transposed(a + lane, pivots + lane, n, step, b + lane);
    else
      solve(a + lane, pivots + lane, n, step, b + lane);
}
