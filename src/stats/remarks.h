// Sentences about the statistics of a fit.
#pragma once
#include "stats/analysis.h"

void write_remarks(Analysis *an);
