// The likelihood of the data at a result, for normal independent noise: what information criteria and likelihood ratios need.
#pragma once
#include "study/assessed_fit.h"

typedef struct Likelihood {
  double log; // NaN: the residuals are not known
  int sigmas; // standard deviations that were estimated from the residuals: they count as parameters
  long samples; // that count
  bool exact;   // residuals are errors of the simulation: the likelihood tells nothing
  // The fit makes it as large as it can be, priors apart: it minimises squares, and weighs channels as the likelihood does.
  bool greatest;
} Likelihood;

int likelihood_sigmas(const Problem *p); // the same number, which no fit is needed for
Likelihood likelihood_of(const AssessedFit *f);
