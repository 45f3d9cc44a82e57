// The correlations of the estimates as a map.
#pragma once
#include "draw/figure.h"
#include "problem/problem.h"
#include "stats/statistics.h"

enum {
  CORRELATIONS_MOST = 60
}; // unknowns of the map; of more, those with the strongest correlations

// NULL: fewer than two unknowns have known correlations. s may be NULL. Lives in a.
Figure *correlations_figure(Arena *a, const Problem *p, const Statistics *s);
