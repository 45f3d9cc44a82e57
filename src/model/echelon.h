// Rows of numbers that are added one by one: which of them are independent of those before, and what makes the others.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct Echelon Echelon;

// Keeps the arena.
Echelon *echelon_new(Arena *a, int columns, int rows_most);
// Adds a row with these entries. Some entry that is left beside the rows before must be at least `least` (by entry; NULL:
// anything), or `least_elsewhere` in a column of other rows, and more than rounding errors of what was subtracted. false:
// there is none, the row depends on the others and is not kept.
bool echelon_add(Echelon *e, const int *column, const double *value, int count, const double *least,
                 double least_elsewhere);
int echelon_rank(const Echelon *e);
// After a row was refused: by row as they were added (those refused count, too), how much of it the row contains; its own
// is 1. 0 where nothing but rounding errors is left.
const double *echelon_parts(const Echelon *e);
