// The table of samples that the arrays of a MAT file make.
//
// Vectors are columns, in whichever direction they lie; of a matrix name[1], name[2], ... are the quantities, whether its rows or
// its columns are the samples. A matrix and its transpose give the same table.
#pragma once
#include <stdint.h>

#include "base/array.h"
#include "base/csv.h"

typedef enum MatKind { MAT_NUMBERS, MAT_COMPLEX, MAT_SOMETHING_ELSE } MatKind;

typedef struct MatFound { // an array of the file
  const char *name;
  MatKind kind;
  uint64_t rows, columns; // further dimensions count as columns
  const double *numbers;  // by columns
} MatFound;

typedef ARRAY(MatFound) MatFoundList;

// path and length_of as of mat_file_load. NULL and err if there is no table, or if it cannot be told which direction of a matrix the
// samples have. A column with an infinite value has a fault.
Table *mat_table(Arena *a, const char *path, const MatFoundList *list, const char *length_of,
                 Err *err);
