// Tables of numbers from text: a header row with names, then rows of numbers.
//
// The separator is comma, semicolon or tab (detected); with semicolons 1,5 is 1.5. Lines
// that begin with #, empty lines and rows of empty cells are skipped. An empty cell, NaN and NA are
// missing values. A second row without numbers holds units.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct Table {
  const char *file; // for messages
  int rows, columns;
  const char *const *names;
  const char *const *units;    // NULL without a row of units; "" where a column has none
  const double *const *column; // column[c][row], NaN where missing
  const int *line;             // of each row in the file, from 1
  const struct Names *by_name;
} Table;

// NULL and an error with file:line:column if the text is not such a table. A header without rows
// is a table.
Table *table_load(Arena *a, const char *path, Err *err);
// text need not end in NUL and is not kept; file is copied and serves messages only.
Table *table_parse(Arena *a, const char *file, const char *text, size_t length, Err *err);

int table_find(const Table *t, const char *name); // -1: absent
// As table_find, but absence is an error that suggests the nearest name or lists the columns.
int table_require(const Table *t, const char *name, Err *err);
