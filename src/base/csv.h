// Tables of numbers from text: a header row with names, then rows of numbers.
//
// The separator is comma, semicolon, tab or blanks (detected); with semicolons 1,5 is 1.5. Rows may end with a separator.
// Lines that begin with #, empty lines and rows of empty cells are skipped. An empty cell, NaN, NA, N/A, n.a., #N/A, null and None
// are missing values. A second row without numbers holds units. Where the first row has numbers, the last comment before it is the
// header; if that one has units in brackets, the one above it. Cells may be times of day (base/timestamp.h): seconds since 1970. A
// column whose first cell that is not missing is a word is one of texts. A column with a cell that is neither cannot be used; the
// others can.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/timestamp.h"

// The first value of a column whose values are far from 0 (seconds since 1970), or times of day, and exact differences to it.
typedef struct ColumnOrigin {
  const double
      *since; // by row, not defined where the value is missing; NULL: the column is not such a one
  bool is_stamp; // times of day; since is in s
  Timestamp stamp;
  uint64_t digits; // else the number: +-digits * 10^exponent
  int exponent;
  bool negative;
} ColumnOrigin;

typedef struct Table {
  const char *file; // for messages
  int rows, columns;
  const char *const *names;
  const char *const *units;    // NULL without a row of units; "" where a column has none
  const double *const *column; // column[c][row], NaN where missing
  const int *line;             // of each row in the file, from 1
  const struct Names *by_name;
  const ColumnOrigin *origin; // by column; NULL: no column has one
  // texts[c][row] of columns of texts, whose numbers are all missing; NULL where column c has numbers, or if none has texts.
  const char *const *const *texts;
  const Err *const
      *fault; // by column: the error of who uses it, NULL: none; NULL: no column has one
  int skipped_lines, first_skipped; // empty lines between rows: how many, and the first
  const char *left_out;             // what the file has besides, for messages; NULL: nothing
  bool has_index;                   // the first column has no name: it is called index
  bool has_row_times; // column[columns] is one more, without a name: times that were made
  bool in_memory;     // it was never text: file is a name, lines are 0
  char separator;     // of the text, ' ': blanks; 0: it was none
} Table;

// NULL and an error with file:line:column if the text is not such a table. A header without rows
// is a table.
Table *table_load(Arena *a, const char *path, Err *err);
// text need not end in NUL and is not kept; file is copied and serves messages only.
Table *table_parse(Arena *a, const char *file, const char *text, size_t length, Err *err);

// The same where the row makes the time: rows of empty cells, in a file of one column empty lines, count as rows of missing values,
// but not at the end of the file.
Table *table_load_rows(Arena *a, const char *path, Err *err);
Table *table_parse_rows(Arena *a, const char *file, const char *text, size_t length, Err *err);

// Some rows of a table, from..to-1: a view.
Table *table_rows(Arena *a, const Table *t, int from, int to);
int table_find(const Table *t, const char *name); // -1: absent
// The texts of a column, by row, "" where missing; NULL: it has numbers.
const char *const *table_texts(const Table *t, int column);
// A cell as the file has it, for messages: shortened. "": it is no file of text, or cannot be read again.
const char *table_cell(Arena *a, const Table *t, int row, int column);
// Why a column cannot be used; NULL: it can.
const Err *table_fault(const Table *t, int column);
// As table_find, but a fault is an error, and absence one that suggests the nearest name or lists the columns.
int table_require(const Table *t, const char *name, Err *err);
// The number in the text less the first of the column, exact; false: it is no plain number, or cannot be told so.
bool column_since(const ColumnOrigin *o, const char *text, double *out);
