// Where starts of searches are drawn from.
#pragma once
#include <stdint.h>

#include "problem/problem.h"

// The range of an unknown: its bounds; where they are infinite, what is around the start. decades: draw logarithmically.
void start_range(const Unknown *u, double *low, double *high, bool *decades);
// The place u in [0, 1] of that range.
double start_between(const Unknown *u, double place);
// Start number `number` of the sequence that the option seed begins.
void random_point(const Problem *p, uint64_t number, double *x);
