// What the BLOCK instructions run: linear systems by pivoted LU, nonlinear ones by a damped Newton method.
#pragma once
#include "code/code.h"

// Slots of work[] (each `lanes` numbers wide) that a block uses.
typedef struct FactorData {
  int n;
  int matrix; // n*n by rows; becomes L and U
  int pivots; // n
  bool wide;  // the processor has AVX2: vec_wide()
} FactorData;

typedef struct SolveData {
  FactorData factor;
  bool transposed;
  int right; // n; becomes the solution
} SolveData;

typedef struct NewtonData {
  int n, inputs;
  int input;        // slots of the inputs
  int start;        // n first guesses
  int solution;     // n; kept between runs as the next guess
  int state;        // 1 slot: 0 no guess yet, 1 solved before, -1 failed
  int scratch;      // newton_scratch(...) slots
  const Code *code; // in0: inputs, in1: unknowns; out: n residuals, then n*n derivatives by rows
} NewtonData;

void block_factor(const CodeBlock *self, double *work, int lanes);
// A singular matrix gives NaN.
void block_solve(const CodeBlock *self, double *work, int lanes);
// No convergence gives NaN.
void block_newton(const CodeBlock *self, double *work, int lanes);
int newton_scratch(int n, int inputs, int code_work);
