// Where the intervals of a fit come from, in sentences.
#pragma once
#include "base/text.h"
#include "problem/problem.h"
#include "stats/statistics.h"

// Nothing where all are those of linear theory, and that is to be trusted.
void interval_text(Text *out, const Problem *p, const Statistics *s);
// "at its lower bound", "not determined" and the like about unknown k, or "". After a stop, what is known by then.
const char *parameter_flags(const Statistics *s, int k);
