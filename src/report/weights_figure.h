// A picture of the weights of samples: the state space, two variables at a time, and the weights over time.
#pragma once
#include "draw/figure.h"
#include "problem/problem.h"

Figure *weights_figure(Arena *a, const Problem *p, const SampleWeights *w);
