// Statistics of a result in a test.
#pragma once
#include "evaluation.h"
#include "stats/statistics.h"

static inline Statistics *statistics_of(Evaluation *e, const FitResult *r) {
  Weighting *weighting = statistics_weighting(r, e->work);
  Statistics *s = statistics_new(r, e->work, weighting);
  weighting_free(weighting);
  return s;
}
