// Reports of a basin study: text with the map, JSON, and a CSV file of all starts.
#pragma once
#include "study/basin.h"
#include "write/page.h"

void basin_text(Text *out, const Basin *b, PageStyle style); // with the map
void basin_json(Text *out, const Basin *b, const char *version);
// start,outcome,optimum,objective,certain,iterations,simulations,sensitivity_simulations, then "start p" and "p" of each
// unknown; the optimum is empty if none was reached.
void basin_csv(Text *out, const Basin *b);
