// Sequential QR (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 27): a block of rows under R is made
// zero column by column by Householder reflections, each of which changes one row of R and the block. One pass over
// the block applies a reflection and computes the products that the next one needs.
//
// Rows of one experiment have zeros in the columns of what belongs to others: such a block is first made a triangle of its
// own columns, so that R meets few rows, however many the block has.
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
static QrSum *sum_alone(Arena *a, int n) {
  QrSum *s = ARENA_NEW(a, QrSum);
  size_t count = (size_t)n + 1;
  s->n = n;
  s->R = ARENA_ARRAY(a, double, count *count + 3 * count);
  return s;
}

enum { SPARSE_LEAST = 8 }; // columns of which it is worth looking for zeros

QrSum *qr_sum_new(Arena *a, int n) {
  QrSum *s = sum_alone(a, n);
  if (n < SPARSE_LEAST) return s;
  s->part = sum_alone(a, n);
  s->part_column = ARENA_ARRAY(a, double *, n + 2);
  s->present = ARENA_ARRAY(a, int, n + 2);
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

static bool is_zero(const double *v, int rows) {
  for (int i = 0; i < rows; i++)
    if (v[i] != 0) return false;
  return true;
}

// Columns that are not zero, in order; the last one is that of the residuals.
static int find_present(QrSum *s, double *const *column, int rows) {
  int count = 0;
  for (int j = 0; j < s->n; j++)
    if (!is_zero(column[j], rows)) s->present[count++] = j;
  s->present[count++] = s->n;
  return count;
}

// The block becomes a triangle of so many rows.
static void shrink(QrSum *s, Sweep *sweep, double *const *column, int rows, int present) {
  QrSum *part = s->part;
  part->n = present - 1;
  qr_sum_clear(part);
  for (int k = 0; k < present; k++) s->part_column[k] = column[s->present[k]];
  add_block(part, sweep, s->part_column, rows);
  for (int k = 0; k < present; k++)
    for (int i = 0; i < present; i++) s->part_column[k][i] = part->R[i * present + k];
}

// The rows of the block that are left for R.
static int shrink_if_it_pays(QrSum *s, Sweep *sweep, double *const *column, int rows) {
  double n = s->n + 1, present = s->part ? find_present(s, column, rows) : n;
  if (!(present < rows && rows * present * present + present * n * n < rows * n * n / 2))
    return rows;
  shrink(s, sweep, column, rows, (int)present);
  return (int)present;
}

void qr_sum_add(QrSum *s, double *const *column, int rows) {
  int count = s->n + 1, block = BLOCK_NUMBERS / count & ~3;
  Sweep *sweep = vec_wide() ? VEC_BEST(sweep) : sweep_plain;
  double **part = (double **)(void *)(s->R + (size_t)count * (size_t)(count + 2));
  if (block < BLOCK_ROWS_LEAST) block = BLOCK_ROWS_LEAST;
  for (int from = 0; from < rows && patience_lasts((long)block * count * count); from += block) {
    for (int j = 0; j < count; j++) part[j] = column[j] + from;
    int some = rows - from < block ? rows - from : block;
    add_block(s, sweep, part, shrink_if_it_pays(s, sweep, part, some));
  }
}
