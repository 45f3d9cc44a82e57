// The map of a basin for a terminal: half blocks in colours, or letters.
#pragma once
#include "report/basin_shade.h"
#include "write/page.h"

void basin_screen(Text *out, const Basin *b, PageStyle style);
