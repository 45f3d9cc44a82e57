// Sequential QR (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 27): a block of rows under R is made
// zero column by column by Householder reflections, each of which changes one row of R and the block. One pass over
// the block applies a reflection and computes the products that the next one needs.
#include "num/qr.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/patience.h"
#include "num/vec.h"

#define VEC_KERNELS "num/qr_kernels.inc"
#include "num/vec_twice.inc"

// Columns of a block together: what stays in the first cache.
enum { BLOCK_NUMBERS = 3072, BLOCK_ROWS_LEAST = 64 };

// Squares below are rounded to few digits: such columns count as zero. Columns of 1e-150 are above.
static const double SQUARE_LEAST = 1e-302;

typedef void Sweep(double *const *column, int k, int count, int rows, const double *factor,
                   double *sums);

// R is followed by room for the factors, the sums, and the columns of a block.
QrSum *qr_sum_new(Arena *a, int n) {
  QrSum *s = ARENA_NEW(a, QrSum);
  size_t count = (size_t)n + 1;
  s->n = n;
  s->R = ARENA_ARRAY(a, double, count *count + 3 * count);
  return s;
}

void qr_sum_clear(QrSum *s) {
  size_t count = (size_t)s->n + 1;
  memset(s->R, 0, count * count * sizeof *s->R);
}

// Reflects row k of R and the block so that the pivot column becomes zero: v = (u, column k), and every column j loses
// factor[j] * v. sums[j]: products of the columns with column k.
static void reflect_row(double *row, int k, int count, const double *sums, double *factor) {
  double square = sums[k], beta, u;
  if (square < SQUARE_LEAST) {
    for (int j = k; j < count; j++) factor[j] = 0;
    return;
  }
  beta = -copysign(sqrt(row[k] * row[k] + square), row[k]);
  u = row[k] - beta;
  row[k] = beta;
  for (int j = k + 1; j < count; j++) {
    factor[j] = (row[j] + sums[j] / u) / -beta;
    row[j] -= factor[j] * u;
  }
}

static void add_block(QrSum *s, Sweep *sweep, double *const *column, int rows) {
  int count = s->n + 1;
  double *factor = s->R + (size_t)count * (size_t)count, *sums = factor + count;
  for (int k = 0; k < count; k++) {
    sweep(column, k, count, rows, factor, sums);
    reflect_row(s->R + (size_t)k * (size_t)count, k, count, sums, factor);
  }
}

void qr_sum_add(QrSum *s, double *const *column, int rows) {
  int count = s->n + 1, block = BLOCK_NUMBERS / count & ~3;
  Sweep *sweep = vec_wide() ? VEC_BEST(sweep) : sweep_plain;
  double **part = (double **)(void *)(s->R + (size_t)count * (size_t)(count + 2));
  if (block < BLOCK_ROWS_LEAST) block = BLOCK_ROWS_LEAST;
  for (int from = 0; from < rows && patience_lasts((long)block * count * count); from += block) {
    for (int j = 0; j < count; j++) part[j] = column[j] + from;
    add_block(s, sweep, part, rows - from < block ? rows - from : block);
  }
}
