// Directions that no data of this kind would see: which unknowns take part, what stays the same along them, and whether a
// simulation confirms it.
#pragma once
#include "stats/statistics.h"

// A model as it is seen from here.
typedef struct InvarianceModel {
  void *self;
  // Triangle (n x n by rows) of the sensitivities at x, channels divided by the size of their data. false: it cannot be
  // simulated there.
  bool (*triangle)(void *self, const double *x, double *R);
  // Root mean square by which the simulated data at x differ from those at the base, relative to the data. NaN: none.
  double (*change)(void *self, const double *x);
  int n;
  const char *const *name;
  const int *order; // ranks the names in texts: all different
  const double *x;  // the base
  const double *lower, *upper;
  const bool *inactive; // changes nothing: left out
  int most;             // directions to look for
  int *left;       // calls of triangle and change that are left; without them claims are weaker
  double accuracy; // relative, of sensitivities
  // What errors of the simulation change in the data, relative to them: more than the accuracy where motion magnifies them.
  double blur;
} InvarianceModel;

// Directions that the triangle R at the base does not see, with all but singular_value filled in; their vectors are in
// relative changes dx/|x|, dx where x = 0. Returns how many. When patience is over, they are not filled in.
int invariance_directions(Arena *a, const InvarianceModel *m, const double *R, StatDirection **out);
// Whether an unknown moves along the direction, or would after some of the others have moved.
bool invariance_takes_part(const StatDirection *d, int number);
