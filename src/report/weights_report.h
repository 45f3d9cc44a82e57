// The weights of the samples of a problem as text.
#pragma once
#include "problem/problem.h"
#include "write/page.h"

// Those of the problem; of one without, the weight 1 of every sample. Lives in a, or in the problem.
const SampleWeights *weights_of_problem(const Problem *p, Arena *a);
void weights_csv(Text *out, const Problem *p, const SampleWeights *w); // experiment,time,weight
void weights_text(Text *out, const Problem *p, const SampleWeights *w, PageStyle style);
