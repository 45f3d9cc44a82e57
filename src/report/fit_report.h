// What the reports about a fit are made of.
#pragma once
#include "stats/statistics.h"

typedef struct FitReport { // borrows everything
  const Problem *problem;
  const FitResult *result;
  const Statistics *statistics;
} FitReport;
