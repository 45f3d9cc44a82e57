// A picture of the estimates: where they lie between their bounds, where the search began, how far they can be trusted.
#pragma once
#include "draw/figure.h"
#include "report/fit_report.h"

enum { INTERVALS_ROWS = 40 }; // of one figure
int intervals_figure_count(const Problem *p);

// Part `part` of that many, with about as many rows each. Without statistics: the values. NULL: there are no unknowns. Lives in a.
Figure *intervals_figure(Arena *a, const FitReport *r, int part);
