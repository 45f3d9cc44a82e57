// A picture of the convergence of the compared methods: best objective so far over the fair count, both logarithmic.
#pragma once
#include "draw/figure.h"
#include "study/compare.h"

// Shows the run with the median objective of each method. Lives in a. NULL: there is no trace to draw.
Figure *compare_figure(Arena *a, const Compare *c);
