// Points spread over the open unit cube, the same everywhere for a given seed.
#pragma once
#include <stdint.h>

enum { DESIGN_LATIN_HYPERCUBE, DESIGN_SOBOL, DESIGN_RANDOM };
// Numbers of a point that the Sobol sequence serves; further ones are those of a Latin hypercube.
enum { DESIGN_SOBOL_NUMBERS = 40 };

// x: `count` rows of n numbers, 0 < x < 1.
//   Latin hypercube: each of `count` equal parts of every number's range holds one point; of ten such designs the one whose
//   nearest points are farthest apart, where there are not too many points to compare.
//   Sobol: longer designs begin with the points of shorter ones; 2^k points put one into each of 2^k equal parts.
void design_points(int kind, uint64_t seed, int n, int count, double *x);
