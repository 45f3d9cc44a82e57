// Equations in any form to one expression for each unknown: incidence, matching, blocks, tearing, solution.
#pragma once
#include "expr/expr.h"
#include "model/match.h"

typedef struct SortEquation {
  Expr residual; // = 0
  int line, column;
  int origin; // number of the equation as typed
  int level;  // how often that has been differentiated
  // Follows from others: unknowns of its block that it would determine get the least norm.
  bool redundant;
  bool combined; // with others, which it depends on: not what was typed
  int rank;      // place by which to choose between equals, see sort_rank
} SortEquation;

typedef struct SortUnknown {
  Expr symbol;
  const char *name;
  Expr start; // first guess, free of unknowns
  // A multiplier, where equations are redundant: its square counts in the least norm.
  bool algebraic;
  int rank;
  bool given; // the text has a start value
} SortUnknown;

enum { LEVELS_MOST = 12 }; // of differentiation; mechanisms need 2

// From the place of a variable or equation in the order of the model (order.h), and how often it is differentiated.
static inline int sort_rank(int place, int level) {
  return place * (LEVELS_MOST + 2) + level;
}

typedef enum SortBlockKind { SORT_ALIAS, SORT_ASSIGN, SORT_LINEAR, SORT_NONLINEAR } SortBlockKind;

typedef struct SortBlock {
  SortBlockKind kind;
  int count;     // equations = unknowns
  int *equation; // by position
  int *unknown;  // in the order of computation; the torn ones last
  int torn;      // unknowns that are iterated or solved for together
} SortBlock;

typedef struct Sorted {
  Expr *solution; // by unknown, free of unknowns
  SortBlock *blocks;
  int block_count;
} Sorted;

Incidence sort_incidence(Graph *g, Arena *a, const SortEquation *equations, int equation_count,
                         const SortUnknown *unknowns, int unknown_count);

// Whether an expression of parameters can be divided by.
typedef bool SortNonzero(void *self, Expr e);

// The matching must be perfect. nonzero: NULL, no parameter is divided by where equations are solved together. false:
// out->blocks[out->block_count - 1] is a block whose equations do not determine its unknowns, because coefficients are
// always 0 or equations follow from one another.
bool sort_solve(Graph *g, Arena *a, const SortEquation *equations, const SortUnknown *unknowns,
                const Incidence *in, const Matching *m, SortNonzero *nonzero, void *self,
                Sorted *out);
