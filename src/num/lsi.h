// Least squares with linear equalities, inequalities and bounds: small dense problems, any rank, by active sets.
#pragma once
#include "base/arena.h"

typedef struct LsiProblem {
  int n;
  int rows;                 // of M
  const double *M, *z;      // |z + M d| is minimised; M by rows of n
  const double *low, *high; // of d, low <= high; may be infinite
  int equalities, inequalities;
  const double *A,
      *b; // A d = b for the equalities, which come first, then A d >= b; A by rows of n
} LsiProblem;

typedef struct Lsi Lsi; // scratch

// rows_most: of M; constraints_most: of A.
Lsi *lsi_new(Arena *a, int n, int rows_most, int constraints_most);

// The shortest d, or nearly so, inside low and high, which must hold 0, that violates the constraints least: the sum of the
// squares of what is missing, each row of A made to length 1. What 0 satisfies stays satisfied. Returns the largest
// violation that is left, in the same measure. M and z are not looked at. Does not allocate; neither does lsi_solve.
double lsi_nearest(Lsi *w, const LsiProblem *p, double *d);

// From a point d inside low and high to the minimum. A constraint that d violates is relaxed to what it has at d, so there
// is always a solution: constraints hold where they can hold when d comes from lsi_nearest. Bounds are met exactly. Where
// M has no full rank, the steps to the solution are the shortest.
// multiplier (of the constraints, or NULL): M'(z + M d) = A'multiplier + those of bounds; >= 0 for inequalities.
void lsi_solve(Lsi *w, const LsiProblem *p, double *d, double *multiplier);
