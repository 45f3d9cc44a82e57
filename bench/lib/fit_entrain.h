// Entrain's side of the fits; nothing else there knows entrain.
#pragma once
#include "hand/fit_case.h"

typedef struct FitEntrain FitEntrain;

// folder: where <case>.csv stands. Prints the error and returns NULL on failure.
FitEntrain *fit_entrain_new(const FitData *d, const char *folder);
void fit_entrain_free(FitEntrain *w);
FitReport fit_entrain_run(FitEntrain *w);       // the problem is loaded, the model compiled
FitReport fit_entrain_run_whole(FitEntrain *w); // reads problem, model and data, compiles, fits
const char *fit_entrain_message(const FitEntrain *w); // how the last fit ended
