// Facts that the reports about a model share: compiled form, start values, blocks, numbers of operations.
#pragma once
#include "base/text.h"
#include "code/lower.h"
#include "model/model.h"
#include "model/system.h"
#include "report/model_constraints.h"

// Where the start value of a state comes from.
typedef enum StartKind { START_FIXED, START_ASSUMED, START_COMPUTED } StartKind;

typedef struct ModelFacts {
  Model *m;
  Arena *arena;
  System *system; // with sensitivities to all independent parameters, unless they are too many
  bool with_sensitivities;
  double *start;         // of each state at time 0; not finite if it cannot be computed
  StartKind *start_kind; // of each state
  int *unknown;          // by variable: its unknown, -1 = none; of a state that of its derivative
  int *block;            // by unknown
  int block_kinds[4];    // how many, by SortBlockKind
  ModelConstraints *constraints;
  int worst_condition; // in m->conditions: the one that the start violates most, -1 = none
  double start_residual, start_miss; // its residual; the same relative to the effect of its states
  Operations rhs, jacobian, sensitivities, hoisted;
} ModelFacts;

ModelFacts *model_facts_new(Model *m); // extends the graph of the model
void model_facts_free(ModelFacts *f);

const char *start_kind_name(StartKind kind);     // "fixed"
const char *block_kind_name(SortBlockKind kind); // "linear"
