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
  int *pivot;                 // by kept row: its column
  SparseRow *kept, *made;     // and of which rows it is made
  double *work, *size;        // by column: the new row, and the sum of what it was made of
  double *parts, *parts_size; // by row
  double *least;              // by column
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
  e->least = ARENA_ARRAY(a, double, columns + 1);
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

static void begin_row(Echelon *e, const int *column, const double *value, int count) {
  memset(e->work, 0, (size_t)e->columns * sizeof *e->work);
  memset(e->size, 0, (size_t)e->columns * sizeof *e->size);
  memset(e->parts, 0, (size_t)(e->rows + 1) * sizeof *e->parts);
  memset(e->parts_size, 0, (size_t)(e->rows + 1) * sizeof *e->parts_size);
  for (int k = 0; k < count; k++) {
    e->work[column[k]] += value[k];
    e->size[column[k]] += fabs(value[k]);
  }
  e->parts[e->rows] = e->parts_size[e->rows] = 1;
}

// What is left of the row beside those that are kept.
static void reduce_row(Echelon *e) {
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
}

// The pivot stands first.
static void keep_row(Echelon *e, int pivot) {
  SparseRow row = pack(e->arena, e->work, e->columns);
  int k = 0;
  while (row.column[k] != pivot) k++;
  row.column[k] = row.column[0], row.value[k] = row.value[0];
  row.column[0] = pivot, row.value[0] = e->work[pivot];
  e->kept[e->rank] = row;
  e->made[e->rank] = pack(e->arena, e->parts, e->rows);
  e->pivot[e->rank++] = pivot;
}

bool echelon_add(Echelon *e, const int *column, const double *value, int count, const double *least,
                 double least_elsewhere) {
  begin_row(e, column, value, count);
  reduce_row(e);
  for (int j = 0; j < e->columns; j++) e->least[j] = least_elsewhere;
  for (int k = 0; k < count; k++) e->least[column[k]] = least ? least[k] : 0;
  int best = -1;
  for (int j = 0; j < e->columns; j++) {
    double left = fabs(e->work[j]);
    if (left > 0 && left >= e->least[j] && (best < 0 || left > fabs(e->work[best]))) best = j;
  }
  if (best >= 0) keep_row(e, best);
  return best >= 0;
}

int echelon_rank(const Echelon *e) {
  return e->rank;
}

const double *echelon_parts(const Echelon *e) {
  return e->parts;
}
