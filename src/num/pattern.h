// Which entries of a matrix can be nonzero, by rows. The values live elsewhere, in the same order.
#pragma once

typedef struct Pattern {
  int rows, columns;
  const int *start;  // rows + 1: entries of row i are start[i] .. start[i+1]-1
  const int *column; // of each entry, ascending within a row
} Pattern;

static inline int pattern_count(const Pattern *p) {
  return p->start[p->rows];
}
