// First guesses of unknowns that are solved for together: their start values, or what the start values of others make of
// the equations between them.
#pragma once
#include "expr/replace.h"
#include "model/match.h"

typedef struct GuessEquation {
  Expr residual; // = 0
  bool counts;   // it determines something
} GuessEquation;

typedef struct GuessUnknown {
  Expr symbol, start;
  bool given; // the text has the start value
} GuessUnknown;

typedef struct Guesses Guesses;

// solved: unknowns by their solutions; is_solved, by unknown: it has one. Keeps all pointers; both change as sorting goes on.
Guesses *guesses_new(Graph *g, Arena *a, const GuessEquation *equations,
                     const GuessUnknown *unknowns, const Incidence *in, Replacer *solved,
                     const bool *is_solved);
// Of the unknowns of a block. residual: its equations, without the unknowns that are solved; within: which of its
// unknowns they contain.
void guess_block(const Guesses *w, const int *unknown, const Expr *residual,
                 const Incidence *within, Expr *starts);
