// Statistics of a result in a test.
#pragma once
#include "evaluation.h"
#include "stats/assess.h"

static inline Statistics *statistics_of(Evaluation *e, const FitResult *r) {
  Weighting *weighting = assess_weighting(r, e->work);
  Statistics *s = assess_fit(r, e->work, weighting);
  weighting_free(weighting);
  return s;
}
