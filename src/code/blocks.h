// What the BLOCK instructions of linear systems run: pivoted LU. Nonlinear ones are in roots.h.
#pragma once
#include "code/code.h"

// Slots of work[] (each `lanes` numbers wide) that a block uses.
typedef struct FactorData {
  int n;
  int matrix; // n*n by rows; becomes L and U
  int pivots; // n, or loose_pivots(n)
  bool wide;  // the processor has AVX2: vec_wide()
  bool loose; // see loose.h
} FactorData;

typedef struct SolveData {
  FactorData factor;
  bool transposed;
  int right; // n; becomes the solution
} SolveData;

// One system of numbers side by side: P A = L U in place, pivots[n], then b becomes the solution.
void linear_factor(double *a, double *pivots, int n);
void linear_solve(const double *a, const double *pivots, int n, double *b);

void block_factor(const CodeBlock *self, double *work, int lanes);
// A singular matrix gives NaN.
void block_solve(const CodeBlock *self, double *work, int lanes);
