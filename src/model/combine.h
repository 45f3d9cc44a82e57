// Equations that look independent and are not: their coefficients cancel, whatever the parameters are. What they say
// together is an equation without the unknowns that they seem to determine, often a constraint between states:
// u1 = a - b, u2 = a - b gives u1 = u2.
#pragma once
#include "model/model.h"

typedef struct
    Combination { // sum of weight*residual, free of the unknowns of these equations' block
  int count;
  int *row;
  Expr *weight;  // numbers and parameters
  int *unknowns; // those of the block
  int unknown_count;
} Combination;

typedef struct CombineSystem { // as many equations as unknowns
  const Expr *residuals, *symbols;
  const int *equation_rank, *unknown_rank; // places by which to choose
  const Incidence *in;
  const Matching *matching; // perfect
} CombineSystem;

// false: none is found.
bool find_combination(Model *m, Arena *a, const CombineSystem *system, Combination *out);
