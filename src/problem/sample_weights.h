// Weights of the samples of a problem: how much each instant counts, whatever is measured there. All experiments that are
// fitted share one state space; validation has no part in it. Constant once read.
#pragma once
#include <stdbool.h>

// WEIGHT_KIND(name, word, meaning)
#define WEIGHT_KINDS                                                                               \
  WEIGHT_KIND(NONE, "none", "1 for all samples")                                                   \
  WEIGHT_KIND(GRID, "grid", "1/(samples in the same cell of a grid)")                              \
  WEIGHT_KIND(ELLIPSES, "ellipses", "1/(samples in an ellipse around the sample)")                 \
  WEIGHT_KIND(DISTANCES, "distances", "the sum of the distances to all other samples")             \
  WEIGHT_KIND(COLUMN, "column", "a column of the data")

typedef enum WeightKind {
#define WEIGHT_KIND(name, word, meaning) WEIGHT_##name,
  WEIGHT_KINDS
#undef WEIGHT_KIND
      WEIGHT_KIND_COUNT
} WeightKind;

const char *weight_kind_word(WeightKind k);
const char *weight_kind_meaning(WeightKind k);

typedef struct WeightVariable { // of the state space
  const char *name, *unit;      // unit: "" when unknown
  int cells;                    // GRID
  double least, range;          // of all samples; range 0: it does not count
} WeightVariable;

typedef struct WeightRegion { // its weight multiplies
  const char *where;
  double weight;
  int samples; // for which the condition holds
} WeightRegion;

typedef struct
    WeightInstants { // of an experiment: rows of its data in the window in which something is measured
  int count;
  double *t;            // since the origin of the experiment
  double *weight;       // mean 1 over those above 0 of all experiments
  const double **value; // value[variable][i]
} WeightInstants;

typedef struct SampleWeights {
  WeightKind kind;
  WeightVariable *variables;
  int variable_count;
  double ratio;       // ELLIPSES
  int shifts;         // GRID: of the origin
  bool one_per_cell;  // GRID
  const char *column; // of the data, which multiplies; NULL: none
  WeightRegion *regions;
  int region_count;
  int occupied;       // GRID: cells with samples, of the first grid
  double error;       // DISTANCES: the largest relative error, as in distance_sums
  int count, counted; // instants; those with a weight above 0
  double least, most; // weights
  double
      equal; // samples of equal weight that would tell as much: (sum of weights)^2/(sum of squares), Kish (1965)
  WeightInstants *at; // by experiment of the problem
} SampleWeights;
