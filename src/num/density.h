// Weights of samples by how densely they lie: many samples at one operating point count as few. A. Matz et al., IFAC 2020,
// equations 17 to 23.
#pragma once
#include <stdbool.h>

#include "num/cloud.h"

typedef struct GridRule {
  const int *
      cells; // by variable, >= 1: equal cells from the least to the largest value, which belongs to the last cell
  int shifts; // >= 1: mean over so many grids, each shifted by a further 1/shifts of a cell in all variables
  bool
      one_per_cell; // the sample nearest to the middle of a cell (the first of equals) stands for all of it
} GridRule;

// weight = 1/(samples in the same cell), or with one_per_cell 1 and 0. A value on a border, up to 1e-9 of a cell, belongs to
// the upper cell. Returns the number of occupied cells of the first grid.
int grid_weights(const Cloud *c, const GridRule *rule, double *weight);

// weight = 1/(samples j, itself included, with sum over variables of (difference/range)^2 <= ratio^2); distances up to 1e-9
// above the ratio count as equal to it. Exact for any number of points.
void ellipse_weights(const Cloud *c, double ratio, double *weight);

// Makes the mean of the weights above 0 equal to 1; if none is, all become 1. Returns how many are above 0.
int normalise_weights(double *weight, int count);
