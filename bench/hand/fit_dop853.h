// The practical limit: a fit written by hand for speed. Runge-Kutta of order 8 with states and sensitivities in one
// vector; Levenberg-Marquardt on normal equations that are summed while integrating; a trial integration ends as soon as
// its sum of squares exceeds the best one.
#pragma once
#include "hand/fit_case.h"

typedef struct FitDop853 FitDop853;

FitDop853 *fit_dop853_new(const FitData *d); // keeps the pointer
void fit_dop853_free(FitDop853 *w);
FitReport fit_dop853_run(FitDop853 *w);
