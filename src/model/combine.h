// Equations that look independent and are not: their coefficients cancel, whatever the parameters are. What they say
// together is an equation without the unknowns that they seem to determine, often a constraint between states:
// u1 = a - b, u2 = a - b gives u1 = u2.
#pragma once
#include "model/model.h"

typedef struct Combination { // sum of weight*residual, free of the unknowns of these equations' block
  int count;
  int *row;
  Expr *weight;  // numbers and parameters
  int *unknowns; // those of the block
  int unknown_count;
} Combination;

// Equations `residuals` = 0 with a perfect matching to the symbols; rank: places by which to choose. false: none is found.
bool find_combination(Model *m, Arena *a, const Expr *residuals, const Expr *symbols,
                      const int *rank, const Incidence *in, const Matching *matching,
                      Combination *out);
