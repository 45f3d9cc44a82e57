// The columns of a comparison: their names, and the text of each cell.
#pragma once
#include "study/compare.h"

typedef enum CompareLayout {
  COMPARE_FULL,
  COMPARE_PAPER, // method, iterations, function evaluations, objective
  COMPARE_PARALLEL, // method, objective; evaluations and time with one thread and with several; speed-up
} CompareLayout;

typedef struct CompareEntry { // a row of the table: computed or published
  const char *label;
  const CompareRow *row; // NULL: published
  const CompareFigures *median, *least, *most;
  const double *x; // NULL: none
} CompareEntry;

typedef struct CompareColumn {
  const char *key;  // in CSV
  const char *head; // in text; a leading '>' aligns to the right
  int spare;        // as in PageColumn
  // The cell, rounded or exact; NULL or "": empty.
  const char *(*cell)(Arena *a, const CompareEntry *e, bool exact);
} CompareColumn;

// The columns of a layout; exact: those of its CSV file.
const CompareColumn *compare_columns(CompareLayout layout, bool exact, int *count);
// The rows of the table: the computed ones, then the published ones, if any. Lives in a.
CompareEntry *compare_entries(Arena *a, const Compare *c, const Published *published, int *count);
