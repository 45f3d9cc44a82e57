// Linear systems of mixed equations: two brakes that hold the same shaft leave open how they share the load.
#pragma once
#include <stddef.h>

// Numbers for the factors of a matrix, `step` apart as its entries are.
int loose_pivots(int n);
// P S A Q = L U with all pivots chosen and S the sizes of the rows, until what is left is rounding errors.
void loose_factor(double *a, double *pivots, int n, size_t step);
// b becomes a solution: unknowns that are left open are 0. NaN where there is none.
void loose_solve(const double *a, const double *pivots, int n, size_t step, double *b);
void loose_solve_transposed(const double *a, const double *pivots, int n, size_t step, double *b);
