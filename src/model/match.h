// Which equation determines which unknown, and in which order: bipartite matching and strongly connected components.
#pragma once
#include "base/arena.h"

// Which unknowns occur in which equation, by equations.
typedef struct Incidence {
  int equations, unknowns;
  const int *start; // equations + 1
  const int *unknown;
} Incidence;

typedef struct Matching {
  int *equation_of; // by unknown, -1 = none
  int *unknown_of;  // by equation, -1 = none
  int count;
} Matching;

// A largest matching. Unknowns are served in the given order (NULL: as they are): those that come first are matched
// wherever that is possible.
Matching match(Arena *a, const Incidence *in, const int *order);

// Components in order of computation: component k is the equations member[start[k]] .. member[start[k+1]-1].
typedef struct Components {
  int count;
  int *start, *member;
} Components;

// in and m must be a perfect matching of the equations.
Components components(Arena *a, const Incidence *in, const Matching *m);

// Equations and unknowns that take part in the failure: everything reachable from an unmatched equation (too many
// equations for too few unknowns) or from an unmatched unknown. Marks are 1 for members.
void overdetermined(Arena *a, const Incidence *in, const Matching *m, unsigned char *equations,
                    unsigned char *unknowns);
void underdetermined(Arena *a, const Incidence *in, const Matching *m, unsigned char *equations,
                     unsigned char *unknowns);
