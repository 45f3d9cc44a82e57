// A scan as text and CSV.
#pragma once
#include "study/scan.h"
#include "write/page.h"

void scan_text(Text *out, const ObjectiveScan *s, PageStyle style);
// One column for each number, lambda, objective (empty: it could not be simulated); the points that are done.
void scan_csv(Text *out, const ObjectiveScan *s);
