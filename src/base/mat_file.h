// Tables from MAT files (MATLAB 4, 5, 6, 7 and 7.3).
//
// Arrays of numbers become columns, called by their path: theta, run.angle, run[2].angle, log{3} for cells. A vector is one
// column; a matrix is name[1], name[2], ... Integers, singles and logicals become doubles. Whatever has another length than
// the table, and texts, functions, sparse and complex arrays, are no columns: `left_out` of the table names them.
//
// Files are read by the library libmatio, which is loaded when it is needed, in a process of its own: a file that makes the
// library crash, loop or ask for too much memory is an error here, and nothing else.
#pragma once
#include "base/csv.h"

bool mat_file_is(const char *path); // by its ending, .mat

// length_of: the array whose length is that of the table, NULL: that of t or time if there is one, else the most frequent one. The
// time is the first column. NULL and err if it cannot be read.
Table *mat_file_load(Arena *a, const char *path, const char *length_of, Err *err);
