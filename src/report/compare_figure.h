// Convergence of the methods of a comparison as a picture: the best objective so far over the fair count, both logarithmic.
#pragma once
#include "draw/figure.h"
#include "study/compare.h"

// Of each method the run whose objective is the median. Lives in the arena. NULL: there is no trace to draw.
Figure *compare_figure(Arena *a, const Compare *c);
