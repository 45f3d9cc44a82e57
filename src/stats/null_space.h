// Directions that a matrix does not see.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

// A basis of the changes of some columns that leave the product with R unchanged.
typedef struct NullSpace {
  int count;     // directions
  double *basis; // [direction][column], in the units of the unknowns
  double *share; // [direction][column]: the same with columns of unit length; of unit length itself
  double largest; // singular value of the unseen ones, columns of unit length
  double gap;     // smallest of the seen ones, 1 when there are none
} NullSpace;

// R is n x n by rows, column[0..count-1] says which columns are looked at; none of them is zero. Directions are unseen
// when their singular value is at or below tolerance; at most `most` of them, the least seen.
NullSpace null_space(Arena *a, const double *R, int n, const int *column, int count,
                     double tolerance, int most);
// The same with a known number of directions.
NullSpace null_space_of(Arena *a, const double *R, int n, const int *column, int count,
                        int directions);

// Gauss-Jordan elimination: B (rows x columns, by rows) becomes the identity in the pivot columns, which are chosen for
// the largest elements. Elements below threshold become 0.
void reduce_rows(double *B, int rows, int columns, double threshold, int *pivot);
// E = inverse(B[:, pivot]) * B for given pivot columns; false when that is nearly singular.
bool echelon_by(const double *B, int rows, int columns, const int *pivot, double *E);
