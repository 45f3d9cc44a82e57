// The constraints of a model: the equations that index reduction differentiated, and their invariants.
#pragma once
#include "model/system.h"

typedef struct ModelConstraint {
  int equation;       // number in flat->equations
  int line;           // in its file
  const char *place;  // "8", or "Wheel.mo:8" in a file of a library
  const char *text;   // as written
  int differentiated; // how often; 0: it is redundant
  int first, count;   // its invariants: numbers first .. first+count-1 in m->invariants
  bool redundant;     // follows from others
  // Numbers of the constraints it follows from; none if they could not be found.
  int *source;
  int source_count;
} ModelConstraint;

typedef struct ModelConstraints {
  ModelConstraint *at;
  int count;
  int redundant; // how many of them
  int freedom;   // start values that can be chosen: number of states minus independent invariants
  // Multipliers: algebraic variables that no equation defines as z = ..., if there are as many as constraints; else none.
  int *multiplier;
  int multiplier_count;
} ModelConstraints;

ModelConstraints *model_constraints_new(Arena *a, const Model *m);
// Finds the constraints that redundant ones follow from, by their derivatives at (t, x). w belongs to a system of the model,
// with parameters set.
void model_constraints_trace(ModelConstraints *c, Arena *a, SystemWork *w, double t,
                             const double *x);

const char *times_in_words(Arena *a, int count); // "once", "twice", "3 times"
// "line 8", "lines 8 and 10"
const char *constraint_sources(Arena *a, const ModelConstraints *c, const ModelConstraint *of);
