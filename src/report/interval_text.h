// Where the intervals of a fit come from, in sentences.
#pragma once
#include "base/text.h"
#include "problem/problem.h"
#include "stats/statistics.h"

// Nothing where all are those of linear theory, and that is to be trusted.
void interval_text(Text *out, const Problem *p, const Statistics *s);
