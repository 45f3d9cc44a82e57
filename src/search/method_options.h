// From the options of a fit to those of a method.
#pragma once
#include "global/global.h"
#include "global/population_options.h"
#include "problem/fit_options.h"

// Tolerances as in the fit, no target. The result points to *population, which must outlive it.
LocalOptions method_options(const FitOptions *o, PopulationOptions *population);
