// Sensitivities seen through noise or through the accuracy of the simulation: singular values, rank, directions, and for
// each unknown whether it can be determined.
#pragma once
#include "stats/analysis.h"

void analyse_identifiability(Analysis *an);
