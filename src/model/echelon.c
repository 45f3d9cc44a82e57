// Gaussian elimination row by row: each new row loses the pivot columns of those before it, and its largest entry becomes
// the pivot. Sizes of what is subtracted are summed, so that zero is told from rounding.
#include "model/echelon.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-11; // relative to what was subtracted

typedef struct SparseRow {
  int count, *column;
  double *value;
} SparseRow;

struct Echelon {
  Arena *arena;
  int columns, rows, rank;
  int *pivot;             // by kept row: its column
  SparseRow *kept, *made; // and of which rows it is made
  double *work, *size;    // by column: the new row, and the sum of what it was made of
  double *parts, *parts_size; // by row
};

Echelon *echelon_new(Arena *a, int columns, int rows_most) {
  Echelon *e = ARENA_NEW(a, Echelon);
  int most = columns < rows_most ? columns : rows_most;
  *e = (Echelon){.arena = a, .columns = columns};
  e->pivot = ARENA_ARRAY(a, int, most + 1);
  e->kept = ARENA_ARRAY(a, SparseRow, most + 1);
  e->made = ARENA_ARRAY(a, SparseRow, most + 1);
  e->work = ARENA_ARRAY(a, double, columns + 1);
  e->size = ARENA_ARRAY(a, double, columns + 1);
  e->parts = ARENA_ARRAY(a, double, rows_most + 1);
  e->parts_size = ARENA_ARRAY(a, double, rows_most + 1);
  return e;
}

static void subtract(const SparseRow *row, double factor, double *value, double *size) {
  for (int k = 0; k < row->count; k++) {
    double part = factor * row->value[k];
    value[row->column[k]] -= part;
    size[row->column[k]] += fabs(part);
  }
}

static void round_to_zero(double *value, const double *size, int count) {
  for (int i = 0; i < count; i++)
    if (fabs(value[i]) <= ROUNDING * size[i]) value[i] = 0;
}

static SparseRow pack(Arena *a, const double *value, int n) {
  SparseRow row = {0};
  for (int i = 0; i < n; i++) row.count += value[i] != 0;
  row.column = ARENA_ARRAY(a, int, row.count + 1);
  row.value = ARENA_ARRAY(a, double, row.count + 1);
  for (int i = 0, k = 0; i < n; i++)
    if (value[i] != 0) row.column[k] = i, row.value[k++] = value[i];
  return row;
}

bool echelon_add(Echelon *e, const int *column, const double *value, int count, double least) {
  memset(e->work, 0, (size_t)e->columns * sizeof *e->work);
  memset(e->size, 0, (size_t)e->columns * sizeof *e->size);
  memset(e->parts, 0, (size_t)(e->rows + 1) * sizeof *e->parts);
  memset(e->parts_size, 0, (size_t)(e->rows + 1) * sizeof *e->parts_size);
  for (int k = 0; k < count; k++) {
    e->work[column[k]] += value[k];
    e->size[column[k]] += fabs(value[k]);
  }
  e->parts[e->rows] = e->parts_size[e->rows] = 1;
  for (int k = 0; k < e->rank; k++) {
    int pivot = e->pivot[k];
    if (fabs(e->work[pivot]) > ROUNDING * e->size[pivot]) {
      double factor = e->work[pivot] / e->kept[k].value[0];
      subtract(&e->kept[k], factor, e->work, e->size);
      subtract(&e->made[k], factor, e->parts, e->parts_size);
    }
    e->work[pivot] = 0;
  }
  e->rows++;
  round_to_zero(e->work, e->size, e->columns);
  round_to_zero(e->parts, e->parts_size, e->rows);
  int best = -1;
  for (int j = 0; j < e->columns; j++)
    if (fabs(e->work[j]) >= least && e->work[j] != 0 &&
        (best < 0 || fabs(e->work[j]) > fabs(e->work[best])))
      best = j;
  if (best < 0) return false;
  e->pivot[e->rank] = best;
  e->kept[e->rank] = pack(e->arena, e->work, e->columns);
  e->made[e->rank] = pack(e->arena, e->parts, e->rows);
  SparseRow *row = &e->kept[e->rank++];
  for (int k = 0; k < row->count; k++) // the pivot stands first
    if (row->column[k] == best) {
      int other = row->column[0];
      double first = row->value[0];
      row->column[0] = best, row->value[0] = e->work[best];
      row->column[k] = other, row->value[k] = first;
      break;
    }
  return true;
}

int echelon_rank(const Echelon *e) {
  return e->rank;
}

const double *echelon_parts(const Echelon *e) {
  return e->parts;
}
