// A comparison of models as text, Markdown, CSV and JSON.
#pragma once
#include "study/models.h"
#include "write/page.h"

void models_text(Text *out, const Models *m, PageStyle style);
void models_markdown(Text *out, const Models *m);
void models_csv(Text *out, const Models *m); // exact numbers, and the parameters of each model
void models_json(Text *out, const Models *m, const char *version);

// ---- what the formats share

bool models_have_folds(const Models *m);
// Sentences about the whole comparison: what the criteria assume, and which models that is wrong for. Live in a.
int models_remarks(Arena *a, const Models *m, const char ***out);
const char *model_test_text(Arena *a, const Models *m, const ModelTest *t); // a sentence
