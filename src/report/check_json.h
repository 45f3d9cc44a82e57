// A check for other programs.
#pragma once
#include "base/text.h"
#include "study/check.h"

void check_json(Text *out, const Check *c, const char *version);
