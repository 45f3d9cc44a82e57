// Householder QR with column pivoting (Businger and Golub 1965): the longest of what is left of the columns comes
// next. Lengths are computed anew for each step, which costs as much as the reflections and loses no digits.
#include "num/pivot_qr.h"

#include <math.h>

#include "base/patience.h"

PivotQr *pivot_qr_new(Arena *a, int rows, int n) {
  PivotQr *q = ARENA_NEW(a, PivotQr);
  q->rows = rows;
  q->n = n;
  q->A = ARENA_ARRAY(a, double, (size_t)rows *(size_t)n + 1);
  q->diag = ARENA_ARRAY(a, double, n + 1);
  q->pivot = ARENA_ARRAY(a, int, n + 1);
  return q;
}

static double *column(const PivotQr *q, int k) {
  return q->A + (size_t)k * (size_t)q->rows;
}

static double squares_below(const PivotQr *q, int k, int first) {
  const double *v = column(q, k);
  double sum = 0;
  for (int i = first; i < q->rows; i++) sum += v[i] * v[i];
  return sum;
}

// The longest of what is left of the columns comes next.
static double choose(PivotQr *q, int k) {
  double most = -1;
  int best = k;
  for (int j = k; j < q->n; j++) {
    double sum = squares_below(q, j, k);
    if (sum > most) most = sum, best = j;
  }
  int p = q->pivot[k];
  q->pivot[k] = q->pivot[best];
  q->pivot[best] = p;
  double *a = column(q, k), *b = column(q, best);
  for (int i = 0; best != k && i < q->rows; i++) {
    double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
  return sqrt(most);
}

// (1 - v v'/(-alpha*v[k])) w, where v is column k below its diagonal with v[k] in its place.
static void reflect(const PivotQr *q, int k, double *w) {
  const double *v = column(q, k);
  double head = v[k], dot = 0, alpha = q->diag[k];
  if (alpha == 0) return;
  for (int i = k; i < q->rows; i++) dot += v[i] * w[i];
  double f = dot / (alpha * head);
  for (int i = k; i < q->rows; i++) w[i] += f * v[i];
}

void pivot_qr_factor(PivotQr *q) {
  for (int k = 0; k < q->n; k++) q->pivot[k] = k;
  for (int k = 0; k < q->n && patience_lasts(2L * (q->rows - k) * (q->n - k)); k++) {
    double norm = choose(q, k), *v = column(q, k);
    q->diag[k] = v[k] > 0 ? -norm : norm;
    v[k] -= q->diag[k];
    for (int j = k + 1; j < q->n; j++) reflect(q, k, column(q, j));
  }
}

void pivot_qr_turn(const PivotQr *q, double *v) {
  for (int k = 0; k < q->n; k++) reflect(q, k, v);
}

int pivot_qr_rank(const PivotQr *q, double part) {
  int rank = 0;
  while (rank < q->n && fabs(q->diag[rank]) > part * fabs(q->diag[0])) rank++;
  return rank;
}

void pivot_qr_triangle(const PivotQr *q, double *R) {
  int n = q->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) R[i * n + j] = j > i ? column(q, j)[i] : 0;
    R[i * n + i] = q->diag[i];
  }
}
