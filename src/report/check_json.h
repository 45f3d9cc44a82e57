// The findings of a check as JSON.
#pragma once
#include "base/text.h"
#include "study/check.h"

void check_json(Text *out, const Check *c, const char *version);
