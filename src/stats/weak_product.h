// What the data determine of unknowns that they do not tell apart: noise hides how a and b share their effect, but not a*b.
#pragma once
#include "stats/analysis.h"

// What the data see, in typical sizes of the unknowns: the columns r < count of V (n x n by rows), with the singular values s.
typedef struct SeenDirections {
  const double *s, *V;
  int count;
} SeenDirections;

// Gives directions that noise hides as few unknowns each as a change of basis can, where several of them mix. false: they stay.
bool weak_directions_apart(const Analysis *an, StatDirection *weak, int count);
// Adds to the direction the product of powers of its two unknowns that the data determine, with its interval near the result. Nothing where
// there are more of them, exponents are not simple, or the product is hidden, too.
void weak_product_add(const Analysis *an, const SeenDirections *seen, StatDirection *d);
// The product of powers of two unknowns that are correlated, if it is determined much better than each of them: false otherwise.
bool correlated_product(const Analysis *an, const int pair[2], StatCombination *out);
