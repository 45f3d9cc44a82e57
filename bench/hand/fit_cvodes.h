// A fit as a person writes it in C with Debian's libraries: CVODES (Adams, forward sensitivities by the simultaneous
// corrector, all of them in the error test, solver memory reused) and MINPACK's lmder (cminpack). Residuals and their
// Jacobian come from one integration at each point.
#pragma once
#include "hand/fit_case.h"

typedef struct FitCvodes FitCvodes;

FitCvodes *fit_cvodes_new(const FitData *d); // keeps the pointer
void fit_cvodes_free(FitCvodes *w);
FitReport fit_cvodes_run(FitCvodes *w);
