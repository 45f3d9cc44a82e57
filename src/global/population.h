// What the global methods have in common: a population inside the bounds, whole generations in one call, the tests that
// end a search.
#pragma once
#include "global/global.h"
#include "num/random.h"

// Best objectives of the last generations.
typedef struct Stall {
  double *past; // a ring
  int window;   // generations
  int seen;     // objectives so far
} Stall;

void stall_init(Stall *s, Arena *a, int window);
// Adds a best objective. Whether it has changed by less than tol a generation over the window, on average and relative to
// itself plus `floor`.
bool stall_add(Stall *s, double best, double tol, double floor);

// What suits a method where the user has not said it.
typedef struct PopulationDefaults {
  int size, generations, stall;
} PopulationDefaults;

typedef struct Population {
  Arena *arena;
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result; // its best point is kept by population_evaluate
  Random random;
  int n, size;
  double *x;     // `size` rows of n numbers
  double *V;     // their objectives
  double *width; // of the box; 0: the number is fixed
  int movable;   // numbers that are not
  int generations;
  Stall stall;
  bool ended; // result->end says how
} Population;

// Memory is in p->arena.
Population *population_new(const Lsq *lsq, const LocalOptions *options, LocalResult *result,
                           const PopulationDefaults *defaults);
void population_free(Population *p);

// The start and points all over the box, evaluated. Nothing is left to do where p->ended.
void population_begin(Population *p);
// Objectives of `count` points inside the bounds, side by side. false: stopped.
bool population_evaluate(Population *p, const double *x, int count, double *V);
// A generation is complete: counts it, tells the listener and looks whether the search ends. `points`: as many rows as
// the population has; the search ends when they are one point.
void population_next(Population *p, const double *points);
// The part of it that does not look at points: counts, tells, looks for a good objective and the limit of generations.
void population_count(Population *p);
void population_end(Population *p, LocalEnd end);

// Whether `count` points differ from the best one by less than step_tol in every number.
bool population_is_one_point(const Population *p, const double *points, int count);
// order[k]: the k-th best of `count` objectives; equal ones in the order of their numbers. scratch: as long as order.
void population_rank(const double *V, int count, int *order, int *scratch);
// A whole number below `below`, all equally likely.
int population_pick(Population *p, int below);

static inline double *population_row(double *x, int n, int k) {
  return x + (size_t)k * (size_t)n;
}
