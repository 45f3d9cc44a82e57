// Random points inside the bounds of a problem.
#pragma once
#include "num/random.h"
#include "problem/problem.h"

// The first unknown without two finite bounds, -1 when all have them.
int first_unbounded(const Problem *p);
// Uniform between the bounds, log-uniform where both are positive and more than a decade apart. All bounds are finite.
void random_start(const Problem *p, Random *r, double *x);
