// The columns of a comparison: their names, and the text of each cell.
#pragma once
#include "report/compare_report.h"

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
// The rows of the table: the computed ones, then the published ones. Lives in a.
CompareEntry *compare_entries(Arena *a, const CompareReport *r, int *count);
