// All about a model for other programs.
#pragma once
#include "report/model_facts.h"

void model_json(Text *out, const ModelFacts *f);
