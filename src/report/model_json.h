// All facts about a model as JSON.
#pragma once
#include "report/model_facts.h"

void model_json(Text *out, const ModelFacts *f);
