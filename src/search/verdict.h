// The verdict on a result, and its reasons in words. Order of precedence: ambiguous, certain, agreed, doubtful.
#pragma once
#include "residual/weighting.h"
#include "search/fit_result.h"

// Far searches that must end at the best optimum; more of them where nothing else speaks for it: the residuals are not noise, and
// noise tells little.
enum { VERDICT_AGREE_LEAST = 2, VERDICT_AGREE_WEAK = 3 };

typedef struct VerdictFacts {
  bool ambiguous; // a distinct optimum fits nearly as well
  bool fits;      // nothing but noise is left
  bool complete;  // all confirming searches that count are done, and none found a better optimum
  bool weak;      // noise would explain much more than it should, or cannot be compared with
  int far_agree;  // far searches that ended at the best optimum
} VerdictFacts;

int verdict_agree_least(bool fits, bool weak);
FitVerdict verdict_decide(const VerdictFacts *f);
// Writes r->why. confirms: whether confirming searches belong to the method.
void verdict_explain(FitResult *r, const Weighting *w, bool confirms);
