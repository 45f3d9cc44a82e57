// Named columns of numbers (the first is usually the time), written as CSV or JSON.
#pragma once
#include <stdbool.h>

#include "base/text.h"

typedef struct Series { // borrows everything
  int rows, columns;
  const char *const *names;
  const double *const *column; // column[c][row]
} Series;

// A header line with the names, then one line for each row; cells as in write/cells.h. false, also of the
// other: patience is over, rows are missing.
bool series_csv(const Series *s, Text *out);
// {"time": [0, 0.5, 1], "x": [...]}: one member for each column; null for a number that is not finite.
bool series_json(const Series *s, Text *out);
