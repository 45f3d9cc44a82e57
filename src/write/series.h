// Columns of numbers with names, the first one usually the time, and how they are written to files.
#pragma once
#include "base/text.h"

typedef struct Series { // borrows everything
  int rows, columns;
  const char *const *names;
  const double *const *column; // column[c][row]
} Series;

// A header line with the names (in quotes where a name has a comma or a quote), then one line for each row. Numbers are as
// short as they can be and still read back as the same; a number that is not finite is an empty cell.
void series_csv(const Series *s, Text *out);
// {"time": [0, 0.5, 1], "x": [...]}: one member for each column; null for a number that is not finite.
void series_json(const Series *s, Text *out);
