// The map of a basin study for a terminal: coloured half blocks, or letters.
#pragma once
#include "report/basin_shade.h"
#include "write/page.h"

void basin_screen(Text *out, const Basin *b, PageStyle style);
