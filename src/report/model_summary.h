// A summary of a model for a terminal of 100 columns. Long lists are cut.
#pragma once
#include "report/model_facts.h"

void model_summary(Text *out, const ModelFacts *f);
