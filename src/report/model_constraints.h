// The constraints of a model: which equations index reduction differentiated, and what it left of them.
#pragma once
#include "model/system.h"

typedef struct ModelConstraint {
  int equation; // number in flat->equations
  int line;
  const char *text;   // as typed
  int differentiated; // how often; 0: it is redundant
  int first, count;   // its invariants: numbers first .. first+count-1 in m->invariants
  bool redundant;     // follows from the others
  // Those it follows from, by number; none when that could not be found out.
  int *source;
  int source_count;
} ModelConstraint;

typedef struct ModelConstraints {
  ModelConstraint *at;
  int count;
  int redundant; // how many of them
  int freedom;   // states that can be chosen: all of them less the independent invariants
  // Variables: algebraic ones that no equation gives as z = ..., when they are as many as the constraints; else none.
  int *multiplier;
  int multiplier_count;
} ModelConstraints;

ModelConstraints *model_constraints_new(Arena *a, const Model *m);
// Finds out what redundant constraints follow from, by their slopes at a point. w is one of a system of the model, with parameters set.
void model_constraints_trace(ModelConstraints *c, Arena *a, SystemWork *w, double t,
                             const double *x);

const char *times_in_words(Arena *a, int count); // "once", "twice", "3 times"
// "line 8", "lines 8 and 10"
const char *constraint_sources(Arena *a, const ModelConstraints *c, const ModelConstraint *of);
