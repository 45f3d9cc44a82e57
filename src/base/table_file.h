// Matrices from text files in the format of the Modelica standard library: "#1" in the first line, then for each matrix
//   double name(rows,columns)   # comment
//   numbers by rows, separated by white space, commas or semicolons
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

// The matrix of this name, by rows, in the arena. false and an error that says what is wrong and where, or which matrices
// there are. MATLAB files are refused.
bool table_file_read(Arena *a, const char *path, const char *name, int *rows, int *columns,
                     double **data, Err *err);
// The same from a text; `file` serves messages only.
bool table_file_parse(Arena *a, const char *file, const char *text, size_t length, const char *name,
                      int *rows, int *columns, double **data, Err *err);
