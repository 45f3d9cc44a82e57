// LU factorisation. Dense: partial pivoting. Sparse: pivots from the diagonal, in the order of Markowitz (least (row
// count - 1)(column count - 1)) that is found once for a pattern (Duff, Erisman and Reid, Direct Methods for Sparse
// Matrices, 1986); a poor pivot sends that matrix to the dense method.
#include "num/lu.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "num/vec.h"

// A pivot on the diagonal is good enough when no number right of it is larger by more than this. Unknowns may have very
// different units: where a pivot is poor, numbers are compared again in units in which the matrix is balanced.
static const double POOR_PIVOT = 1e-3;
enum {
  HOPELESS = 5, // matrices in a row for which new units did not help
  SWEEPS = 30,  // of balancing
};
// Fuller factors than this are made dense at once: plain loops beat lists.
static const double FULL = 0.7;

// Triangular factors as lists of nonzeros, one row a pivot. Row i takes right-hand side from[i] and
// gives unknown to[i].
typedef struct LuRows {
  int n;
  int *from, *to;
  int *lower_start, *lower_at; // at: unknowns that row i needs, in the order of elimination
  int *upper_start, *upper_at;
  double *lower, *upper, *inverse; // inverse: of the pivots; upper is divided by them
} LuRows;

typedef struct LuKernels {
  void (*eliminate)(Lu *lu, int k, double inverse);
  void (*solve_block)(const LuRows *f, const double *B, int columns, int stride, double *X);
} LuKernels;

struct Lu {
  int n, ld; // ld: row length of the dense matrices
  LuKernels kernels;
  const Pattern *pattern; // NULL: dense only
  LuRows dense, sparse;
  const LuRows *rows;     // the one of the two that holds the factors
  double *work, *factors; // dense: what is left of A, and multipliers, by original rows
  int *order;             // dense: rows in the order of pivots
  int *place;             // sparse: position of each unknown in the order of pivots
  double *row;            // sparse: the row in work
  double *column;         // sparse: scratch
  double *weight;         // sparse: by unknown, its unit
  int hopeless;           // sparse: matrices in a row for which new units did not help
};

#define VEC_KERNELS "num/lu_kernels.inc"
#include "num/vec_twice.inc"

static LuKernels best_kernels(void) {
  if (vec_wide()) return (LuKernels){VEC_BEST(eliminate), VEC_BEST(solve_block)};
  return (LuKernels){eliminate_plain, solve_block_plain};
}

static LuRows rows_new(Arena *a, int n, int lower, int upper) {
  return (LuRows){
      .n = n,
      .from = ARENA_ARRAY(a, int, n),
      .to = ARENA_ARRAY(a, int, n),
      .lower_start = ARENA_ARRAY(a, int, n + 1),
      .lower_at = ARENA_ARRAY(a, int, lower),
      .upper_start = ARENA_ARRAY(a, int, n + 1),
      .upper_at = ARENA_ARRAY(a, int, upper),
      .lower = ARENA_ARRAY(a, double, lower),
      .upper = ARENA_ARRAY(a, double, upper),
      .inverse = ARENA_ARRAY(a, double, n),
  };
}

Lu *lu_new(Arena *a, int n) {
  Lu *lu = ARENA_NEW(a, Lu);
  lu->n = n;
  lu->ld = (n + 3) / 4 * 4;
  lu->kernels = best_kernels();
  int triangle = n * (n - 1) / 2;
  lu->dense = rows_new(a, n, triangle, triangle);
  lu->rows = &lu->dense;
  lu->work = ARENA_ARRAY(a, double, n * lu->ld);
  lu->factors = ARENA_ARRAY(a, double, n * lu->ld);
  lu->order = ARENA_ARRAY(a, int, n);
  return lu;
}

// ---- dense

static int largest_in_column(const Lu *lu, int k) {
  int best = k;
  double most = -1;
  for (int i = k; i < lu->n; i++) {
    double size = fabs(lu->work[lu->order[i] * lu->ld + k]);
    if (size > most) most = size, best = i;
  }
  return best;
}

// False when one is not finite: those above the diagonal need not reach a pivot.
static bool gather_nonzeros(Lu *lu) {
  LuRows *f = &lu->dense;
  int lower = 0, upper = 0;
  double zero = 0;
  for (int i = 0; i < lu->n; i++) {
    const double *l = lu->factors + lu->order[i] * lu->ld, *u = lu->work + lu->order[i] * lu->ld;
    f->from[i] = lu->order[i];
    f->to[i] = i;
    for (int k = 0; k < i; k++)
      if (l[k] != 0) f->lower_at[lower] = k, f->lower[lower++] = l[k];
    for (int k = i + 1; k < lu->n; k++)
      if (u[k] != 0) f->upper_at[upper] = k, f->upper[upper++] = u[k] * f->inverse[i];
    f->lower_start[i + 1] = lower;
    f->upper_start[i + 1] = upper;
  }
  for (int e = 0; e < upper; e++) zero += f->upper[e] - f->upper[e];
  return zero == 0;
}

// Factors the matrix in lu->work.
static bool factor_work(Lu *lu) {
  lu->rows = &lu->dense;
  for (int i = 0; i < lu->n; i++) lu->order[i] = i;
  for (int k = 0; k < lu->n; k++) {
    int best = largest_in_column(lu, k), pivot_row = lu->order[best];
    lu->order[best] = lu->order[k];
    lu->order[k] = pivot_row;
    double inverse = 1 / lu->work[pivot_row * lu->ld + k];
    if (!isfinite(inverse) || inverse == 0) return false;
    lu->dense.inverse[k] = inverse;
    lu->kernels.eliminate(lu, k, inverse);
  }
  return gather_nonzeros(lu);
}

bool lu_factor(Lu *lu, const double *A) {
  for (int i = 0; i < lu->n; i++)
    memcpy(lu->work + i * lu->ld, A + i * lu->n, (size_t)lu->n * sizeof *A);
  return factor_work(lu);
}

static bool factor_dense(Lu *lu, const double *values, double scale, double shift) {
  const Pattern *p = lu->pattern;
  memset(lu->work, 0, (size_t)lu->n * (size_t)lu->ld * sizeof *lu->work);
  for (int i = 0; i < lu->n; i++) {
    double *row = lu->work + i * lu->ld;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) row[p->column[e]] = scale * values[e];
    row[i] += shift;
  }
  return factor_work(lu);
}

// ---- sparse: the order of elimination and the pattern of the factors, once

typedef struct Fill {
  int n;
  char *full;                    // n x n: may be nonzero
  int *row_count, *column_count; // of the part that is not yet eliminated
  char *done;
} Fill;

static void fill_set(Fill *f, int i, int j) {
  if (f->full[i * f->n + j]) return;
  f->full[i * f->n + j] = 1;
  f->row_count[i]++;
  f->column_count[j]++;
}

static Fill fill_new(Arena *a, const Pattern *p) {
  int n = p->rows;
  Fill f = {n, ARENA_ARRAY(a, char, n *n), ARENA_ARRAY(a, int, n), ARENA_ARRAY(a, int, n),
            ARENA_ARRAY(a, char, n)};
  for (int i = 0; i < n; i++) {
    fill_set(&f, i, i);
    for (int e = p->start[i]; e < p->start[i + 1]; e++) fill_set(&f, i, p->column[e]);
  }
  return f;
}

// The diagonal element whose elimination can fill in least (Markowitz).
static int cheapest_pivot(const Fill *f) {
  int best = -1;
  long least = 0;
  for (int i = 0; i < f->n; i++) {
    if (f->done[i]) continue;
    long cost = (long)(f->row_count[i] - 1) * (f->column_count[i] - 1);
    if (best < 0 || cost < least) best = i, least = cost;
  }
  return best;
}

static void eliminate(Fill *f, int pivot) {
  int n = f->n;
  f->done[pivot] = 1;
  for (int i = 0; i < n; i++) {
    if (f->done[i] || !f->full[i * n + pivot]) continue;
    f->row_count[i]--;
    for (int j = 0; j < n; j++)
      if (!f->done[j] && f->full[pivot * n + j]) fill_set(f, i, j);
  }
  for (int j = 0; j < n; j++)
    if (!f->done[j] && f->full[pivot * n + j]) f->column_count[j]--;
}

static int order_pivots(Fill *f, int *order) {
  for (int k = 0; k < f->n; k++) {
    order[k] = cheapest_pivot(f);
    eliminate(f, order[k]);
  }
  int count = 0;
  for (int i = 0; i < f->n * f->n; i++) count += f->full[i];
  return count;
}

static void list_rows(LuRows *rows, const Fill *f, const int *order) {
  int n = f->n, lower = 0, upper = 0;
  for (int i = 0; i < n; i++) {
    const char *full = f->full + order[i] * n;
    rows->from[i] = rows->to[i] = order[i];
    for (int k = 0; k < i; k++)
      if (full[order[k]]) rows->lower_at[lower++] = order[k];
    for (int k = i + 1; k < n; k++)
      if (full[order[k]]) rows->upper_at[upper++] = order[k];
    rows->lower_start[i + 1] = lower;
    rows->upper_start[i + 1] = upper;
  }
}

Lu *lu_new_sparse(Arena *a, const Pattern *pattern) {
  assert(pattern->rows == pattern->columns);
  int n = pattern->rows;
  Lu *lu = lu_new(a, n);
  lu->pattern = pattern;
  Arena *scratch = arena_new();
  Fill fill = fill_new(scratch, pattern);
  int *order = ARENA_ARRAY(scratch, int, n);
  int count = order_pivots(&fill, order);
  if (count <= FULL * n * n) {
    lu->sparse = rows_new(a, n, count, count);
    list_rows(&lu->sparse, &fill, order);
    lu->rows = &lu->sparse;
    lu->place = ARENA_ARRAY(a, int, n);
    for (int i = 0; i < n; i++) lu->place[order[i]] = i;
    lu->row = ARENA_ARRAY(a, double, n);
    lu->weight = ARENA_ARRAY(a, double, n);
    lu->column = ARENA_ARRAY(a, double, n);
    for (int i = 0; i < n; i++) lu->weight[i] = 1;
  }
  arena_free(scratch);
  return lu;
}

// ---- sparse: numbers

static void scatter_row(Lu *lu, int i, const double *values, double scale, double shift) {
  const LuRows *f = &lu->sparse;
  const Pattern *p = lu->pattern;
  double *w = lu->row;
  int row = f->from[i];
  for (int e = f->lower_start[i]; e < f->lower_start[i + 1]; e++) w[f->lower_at[e]] = 0;
  for (int e = f->upper_start[i]; e < f->upper_start[i + 1]; e++) w[f->upper_at[e]] = 0;
  w[row] = 0;
  for (int e = p->start[row]; e < p->start[row + 1]; e++) w[p->column[e]] = scale * values[e];
  w[row] += shift;
}

// Row i of the factors from those before it. False when the pivot is poor.
static bool factor_row(Lu *lu, int i) {
  const LuRows *f = &lu->sparse;
  double *w = lu->row, most = 0, zero = 0;
  for (int e = f->lower_start[i]; e < f->lower_start[i + 1]; e++) {
    int k = lu->place[f->lower_at[e]];
    double below = w[f->lower_at[e]];
    f->lower[e] = below * f->inverse[k];
    for (int u = f->upper_start[k]; u < f->upper_start[k + 1]; u++)
      w[f->upper_at[u]] -= below * f->upper[u];
  }
  double pivot = w[f->from[i]], inverse = 1 / pivot;
  f->inverse[i] = inverse;
  for (int e = f->upper_start[i]; e < f->upper_start[i + 1]; e++) {
    double u = w[f->upper_at[e]], size = fabs(u) * lu->weight[f->upper_at[e]];
    f->upper[e] = u * inverse;
    zero += u - u;
    if (size > most) most = size;
  }
  return fabs(pivot) * lu->weight[f->from[i]] >= POOR_PIVOT * most && isfinite(inverse) &&
         inverse != 0 && zero == 0;
}

static bool factor_rows(Lu *lu, const double *values, double scale, double shift) {
  for (int i = 0; i < lu->n; i++) {
    scatter_row(lu, i, values, scale, shift);
    if (!factor_row(lu, i)) return false;
  }
  return true;
}

// Balancing (Osborne 1960): D^-1 A D whose rows and columns are about equally large, found by a few sweeps over all.
static void find_weights(Lu *lu, const double *values) {
  const Pattern *p = lu->pattern;
  double *d = lu->weight, *row = lu->row, *column = lu->column;
  for (int i = 0; i < lu->n; i++) d[i] = 1;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int i = 0; i < lu->n; i++) row[i] = column[i] = 0;
    for (int i = 0; i < lu->n; i++)
      for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        int j = p->column[e];
        double size = j == i ? 0 : fabs(values[e]) * d[j] / d[i];
        row[i] += size, column[j] += size;
      }
    for (int i = 0; i < lu->n; i++)
      if (row[i] > 0 && column[i] > 0 && isfinite(row[i] + column[i]))
        d[i] *= sqrt(sqrt(row[i] / column[i]));
  }
}

bool lu_factor_sparse(Lu *lu, const double *values, double scale, double shift) {
  if (!lu->place) return factor_dense(lu, values, scale, shift);
  lu->rows = &lu->sparse;
  if (factor_rows(lu, values, scale, shift)) return true;
  if (lu->hopeless < HOPELESS) {
    find_weights(lu, values);
    if (factor_rows(lu, values, scale, shift)) {
      lu->hopeless = 0;
      return true;
    }
    lu->hopeless++;
  }
  return factor_dense(lu, values, scale, shift);
}

// ---- solving

void lu_solve(const Lu *lu, const double *b, double *x) {
  const LuRows *f = lu->rows;
  for (int i = 0; i < f->n; i++) {
    double s = b[f->from[i]];
    for (int e = f->lower_start[i]; e < f->lower_start[i + 1]; e++)
      s -= f->lower[e] * x[f->lower_at[e]];
    x[f->to[i]] = s;
  }
  for (int i = f->n - 1; i >= 0; i--) {
    double s = x[f->to[i]] * f->inverse[i];
    for (int e = f->upper_start[i + 1] - 1; e >= f->upper_start[i]; e--)
      s -= f->upper[e] * x[f->upper_at[e]];
    x[f->to[i]] = s;
  }
}

void lu_solve_block(const Lu *lu, const double *B, int columns, int stride, double *X) {
  lu->kernels.solve_block(lu->rows, B, columns, stride, X);
}

int lu_count(const Lu *lu) {
  return lu->n + lu->rows->lower_start[lu->n] + lu->rows->upper_start[lu->n];
}
