// Figures of other people for the same problem: a small CSV file with a row for each method.
//
// The first row names the columns: 'method', any of those in COMPARE_FIGURES, and names of unknowns. Cells are numbers or
// empty. Lines that begin with # say where the figures are from.
#pragma once
#include "problem/problem.h"

// FIGURE(name, meaning)
#define COMPARE_FIGURES                                                                            \
  FIGURE(iterations, "accepted steps, generations")                                                \
  FIGURE(evaluations, "of the objective, with or without slopes")                                  \
  FIGURE(simulations, "of states alone")                                                           \
  FIGURE(sensitivity_simulations, "with sensitivities")                                            \
  FIGURE(fair, "evaluations, one with the slopes of n parameters counted as n + 1")                \
  FIGURE(objective, "at the end")                                                                  \
  FIGURE(error, "largest relative error of the parameters")                                        \
  FIGURE(seconds, "of wall time")                                                                  \
  FIGURE(evaluations_parallel, "one after the other, when several run side by side")               \
  FIGURE(seconds_parallel, "of wall time then")

typedef struct CompareFigures { // NaN where unknown
#define FIGURE(name, meaning) double name;
  COMPARE_FIGURES
#undef FIGURE
} CompareFigures;

CompareFigures compare_figures_unknown(void);

typedef struct PublishedRow {
  const char *method;
  CompareFigures figures;
  double *x; // by unknown, NaN where unknown
} PublishedRow;

typedef struct Published {
  const char *source; // the comments of the file, "" without any
  PublishedRow *rows;
  int count;
} Published;

// NULL and err with file:line:column on failure. Lives in the arena.
Published *published_load(Arena *a, const Problem *p, const char *path, Err *err);
// The same from text, which need not outlive it.
Published *published_parse(Arena *a, const Problem *p, const char *file, const char *text,
                           Err *err);
