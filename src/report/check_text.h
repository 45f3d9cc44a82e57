// The findings of a check as text.
#pragma once
#include "study/check.h"
#include "write/page.h"

bool check_passed(const Check *c); // no error, and the model can be simulated at the start
const char *finding_word(FindingKind kind);
void check_text(Text *out, const Check *c, PageStyle style);
