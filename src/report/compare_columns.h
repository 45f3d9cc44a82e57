// What the columns of a comparison show.
#pragma once
#include "report/compare_report.h"

typedef struct CompareEntry { // a row of the table, ours or published
  const char *label;
  const CompareRow *row; // NULL: published
  const CompareFigures *median, *least, *most;
  const double *x; // NULL: none
} CompareEntry;

typedef struct CompareColumn {
  const char *key;  // in CSV
  const char *head; // for people; a '>' in front aligns to the right
  int spare;        // as in PageColumn
  // The cell for people, or exactly; NULL or "": empty.
  const char *(*cell)(Arena *a, const CompareEntry *e, bool exact);
} CompareColumn;

// Columns of a layout; exact: of its CSV file.
const CompareColumn *compare_columns(CompareLayout layout, bool exact, int *count);
// Rows of the table in the arena: ours, then the published ones.
CompareEntry *compare_entries(Arena *a, const CompareReport *r, int *count);
