// Covariance of a weighted least-squares estimate. With the rows J (weighted sensitivities) = q G^-1, q orthonormal,
// the estimate changes by G q'r when the residuals change by r, so its covariance is G (sum_i v_i q_i q_i') G' for
// independent noise of variance v_i in row i: the inverse of J'J for v_i = 1, a sandwich otherwise (White 1980).
//
// G comes from the singular values of the triangle R of J with columns made of length 1, R = U S V': G = D^-1 V S^-1,
// D the lengths. Directions with small singular values are left out, and the unknowns in them are lost. v_i from
// residuals: (r_i / (1 - h_i))^2 with the leverage h_i = |q_i|^2 (HC3, MacKinnon and White 1985, J. Econometrics
// 29:305).
#include "stats/covariance.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "num/qr.h"
#include "num/svd.h"

enum { CHUNK = 256 };

// Unknowns that are not held, in order.
static int list_active(const RowSet *rows, int *active) {
  int count = 0;
  for (int k = 0; k < rows->n; k++)
    if (!rows->held || !rows->held[k]) active[count++] = k;
  return count;
}

// The triangle of the active columns; its last column (of the residuals) stays zero.
static const double *triangle(Arena *a, const RowSet *rows, const int *active, int count) {
  QrSum *sum = qr_sum_new(a, count);
  double *block = ARENA_ARRAY(a, double, (size_t)(count + 1) * CHUNK);
  double **column = ARENA_ARRAY(a, double *, count + 1);
  for (int k = 0; k <= count; k++) column[k] = block + (size_t)k * CHUNK;
  for (int first = 0; first < rows->count && patience_lasts(0); first += CHUNK) {
    int some = rows->count - first < CHUNK ? rows->count - first : CHUNK;
    for (int k = 0; k < count; k++)
      for (int i = 0; i < some; i++) {
        bool ignored = rows->ignored && rows->ignored[first + i];
        column[k][i] = ignored ? 0 : rows->factor[first + i] * rows->column[active[k]][first + i];
      }
    memset(column[count], 0, CHUNK * sizeof **column);
    qr_sum_add(sum, column, some);
  }
  return sum->R;
}

// Singular values and right vectors of the triangle with its columns made of length 1; length gets what they were.
static void normalised_svd(Arena *a, const double *R, int n, double *length, double *s, double *V) {
  double *A = ARENA_ARRAY(a, double, n *n + 1);
  for (int k = 0; k < n; k++) {
    double square = 0;
    for (int i = 0; i < n; i++) square += R[i * (n + 1) + k] * R[i * (n + 1) + k];
    length[k] = sqrt(square);
    for (int i = 0; i < n; i++) A[i * n + k] = length[k] > 0 ? R[i * (n + 1) + k] / length[k] : 0;
  }
  svd_right(n, n, A, s, V);
}

// Unknowns with a large part in a direction that the rows do not determine are lost.
static void mark_lost(Projection *p, const int *active, int count, const double *V, int direction) {
  for (int k = 0; k < count; k++)
    if (fabs(V[k * count + direction]) > 1e-4) p->lost[active[k]] = true;
}

void projection_row(const Projection *p, const RowSet *rows, int i, double *q) {
  memset(q, 0, (size_t)p->rank * sizeof *q);
  for (int k = 0; k < rows->n; k++) {
    double slope = rows->factor[i] * rows->column[k][i];
    if (slope == 0) continue;
    for (int r = 0; r < p->rank; r++) q[r] += slope * p->G[k * p->rank + r];
  }
}

static void set_rows(Projection *p, const RowSet *rows) {
  for (int i = 0; i < p->count && patience_lasts((long)rows->n * p->rank); i++) {
    double *q = p->q + (size_t)i * (size_t)p->rank;
    projection_row(p, rows, i, q);
    for (int r = 0; r < p->rank; r++) p->leverage[i] += q[r] * q[r];
  }
}

Projection *projection_without_rows(Arena *a, const RowSet *rows, double tolerance) {
  Projection *p = ARENA_NEW(a, Projection);
  int *active = ARENA_ARRAY(a, int, rows->n + 1), count = list_active(rows, active);
  const double *R = triangle(a, rows, active, count);
  double *length = ARENA_ARRAY(a, double, count + 1), *s = ARENA_ARRAY(a, double, count + 1);
  double *V = ARENA_ARRAY(a, double, count *count + 1);
  normalised_svd(a, R, count, length, s, V);
  p->n = rows->n;
  p->lost = ARENA_ARRAY(a, bool, rows->n + 1);
  for (int k = 0; k < rows->n; k++) p->lost[k] = rows->held && rows->held[k];
  while (p->rank < count && s[p->rank] > tolerance) p->rank++;
  for (int r = p->rank; r < count; r++) mark_lost(p, active, count, V, r);
  p->G = ARENA_ARRAY(a, double, rows->n * p->rank + 1);
  for (int k = 0; k < count; k++)
    for (int r = 0; r < p->rank; r++)
      if (length[k] > 0) p->G[active[k] * p->rank + r] = V[k * count + r] / (length[k] * s[r]);
  return p;
}

Projection *projection_new(Arena *a, const RowSet *rows, double tolerance) {
  Projection *p = projection_without_rows(a, rows, tolerance);
  p->count = patience_asks() ? rows->count : 0; // nobody will look at it
  p->q = ARENA_ARRAY(a, double, (size_t)p->count *(size_t)p->rank + 1);
  p->leverage = ARENA_ARRAY(a, double, rows->count + 1);
  set_rows(p, rows);
  return p;
}

// The lower half of middle gains the sum of variance q q' over some rows: several at once, or memory would be the limit.
static void add_products(int m, int rows, const double *q, const double *variance, double *middle) {
  for (int r = 0; r < m; r++) {
    double *row = middle + (size_t)r * (size_t)m;
    for (int i = 0; i < rows; i++) {
      const double *at = q + (size_t)i * (size_t)m;
      double factor = variance[i] * at[r];
      for (int c = 0; c <= r; c++) row[c] += factor * at[c];
    }
  }
}

void projection_add_middle(const Projection *p, const double *variance, double *middle) {
  enum { TOGETHER = 16 };
  int m = p->rank;
  for (int i = 0; i < p->count && patience_lasts((long)TOGETHER * m * m); i += TOGETHER)
    add_products(m, p->count - i < TOGETHER ? p->count - i : TOGETHER, p->q + (size_t)i * (size_t)m,
                 variance + i, middle);
  for (int r = 0; r < m; r++)
    for (int c = 0; c < r; c++) middle[c * m + r] = middle[r * m + c];
}

void projection_spread(const Projection *p, const double *middle, double *covariance) {
  Arena *scratch = arena_new();
  int n = p->n, m = p->rank;
  double *left = ARENA_ARRAY(scratch, double, n *m + 1);
  for (int k = 0; k < n && patience_lasts((long)m * m); k++)
    for (int r = 0; r < m; r++)
      for (int c = 0; c < m; c++) left[k * m + c] += p->G[k * m + r] * middle[r * m + c];
  for (int k = 0; k < n && patience_lasts((long)k * m); k++)
    for (int j = 0; j <= k; j++) {
      double sum = 0;
      for (int c = 0; c < m; c++) sum += left[k * m + c] * p->G[j * m + c];
      covariance[k * n + j] = covariance[j * n + k] = p->lost[k] || p->lost[j] ? nan("") : sum;
    }
  arena_free(scratch);
}

void projection_covariance(const Projection *p, const double *variance, double *covariance) {
  Arena *scratch = arena_new();
  double *middle = ARENA_ARRAY(scratch, double, p->rank * p->rank + 1);
  projection_add_middle(p, variance, middle);
  projection_spread(p, middle, covariance);
  arena_free(scratch);
}

void projection_residual_variance(const Projection *p, const double *residual, double *variance) {
  for (int i = 0; i < p->count; i++) {
    double rest =
        fmax(1 - p->leverage[i],
             1e-3); // a row that alone determines an unknown leaves no residual to learn from
    variance[i] = residual[i] / rest * (residual[i] / rest);
  }
}

void projection_follow(const Projection *p, const RowSet *rows, int k, double *shift) {
  memset(shift, 0, (size_t)p->n * sizeof *shift);
  for (int r = 0; r < p->rank && patience_lasts(p->count); r++) {
    double product = 0;
    for (int i = 0; i < p->count; i++)
      if (!rows->ignored || !rows->ignored[i])
        product +=
            p->q[(size_t)i * (size_t)p->rank + (size_t)r] * rows->factor[i] * rows->column[k][i];
    for (int j = 0; j < p->n; j++) shift[j] -= p->G[j * p->rank + r] * product;
  }
}
