// What a model is, for people at a terminal of 100 columns. Long lists are cut.
#pragma once
#include "report/model_facts.h"

void model_summary(Text *out, const ModelFacts *f);
