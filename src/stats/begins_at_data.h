// What residuals that begin at the data do to estimates: the error of single steps, and the bias by the noise of the data.
#pragma once
#include "stats/analysis.h"

typedef struct EstimateShift {
  bool known;
  int unknown;   // that is moved most, in standard errors
  double by;     // so much
  double errors; // the same in standard errors
  double noise;  // part of the variance that differences show which the residuals allow for
} EstimateShift;

// What the integrator in place of one step for each sample interval would change.
EstimateShift shift_by_integrator(Analysis *an);
// What as much noise as the data have changes, once more.
EstimateShift shift_by_noise(Analysis *an);
