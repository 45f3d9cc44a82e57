// How far unknowns are from the truth, in what the data determine: an unknown without effect on the data is left out, and
// of unknowns that compensate each other the combinations count that do not change (alpha*A).
#pragma once
#include "problem/problem.h"

typedef struct TruthTerm {
  const char *text;       // a name, or a combination
  int number;             // unknown; -1: a combination
  bool sum;               // of a combination: a sum, not a product of powers
  const double *exponent; // of a combination, by unknown: exponents, coefficients of a sum
  double truth, size;     // its value, and what a difference is compared with
} TruthTerm;

typedef struct CompareTruth {
  const double *x;    // the true unknowns
  const double *near; // where a search from there ends; NULL: more than noise is between them
  int n;
  TruthTerm *terms;
  int count;
  const char **left_out; // names of unknowns that do not count by themselves
  int left_out_count;
} CompareTruth;

// truth: unknowns, NULL: what the model file says they are. all: every unknown counts, whatever the data determine. Lives in
// the arena.
CompareTruth *compare_truth_new(Arena *a, const Problem *p, const double *truth, bool all);
// The largest relative difference of all terms.
double compare_truth_error(const CompareTruth *t, const double *x);
// Whether it differs by at most `within`, relative, from the truth, or from where noise has moved the optimum: where a
// search that begins at the truth ends.
bool compare_truth_found(const CompareTruth *t, const double *x, double within);
