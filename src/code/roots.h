// What the BLOCK instruction of a nonlinear system runs: the root that continues a known one, or that Newton's method
// reaches from the start values. What it finds depends on its inputs and its anchor alone, never on earlier runs.
#pragma once
#include "code/code.h"

typedef enum AnchorKind {
  ANCHOR_NONE,  // begins at the start values
  ANCHOR_GUESS, // a root at inputs that are not known
  ANCHOR_ROOT,  // a root at known inputs: the solution is its continuation to the inputs of the run
} AnchorKind;

// Slots of work[], each `lanes` numbers wide. A block reads its anchor and never writes it.
typedef struct NewtonData {
  int n, inputs;
  int input;        // slots of the inputs
  int start;        // n first guesses
  int solution;     // n
  int anchor;       // newton_anchor(...) slots: an AnchorKind, n unknowns, the inputs
  int scratch;      // newton_scratch(...) slots
  const Code *code; // in0: inputs, in1: unknowns; out: n residuals, then n*n derivatives by rows
} NewtonData;

// No root gives NaN.
void block_newton(const CodeBlock *self, double *work, int lanes);
int newton_anchor(int n, int inputs);
int newton_scratch(int n, int inputs, int code_work);
