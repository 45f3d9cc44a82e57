// A picture of a scan.
#pragma once
#include "draw/figure.h"
#include "study/scan.h"

Figure *scan_figure(Arena *a, const ObjectiveScan *s); // NULL: no point could be simulated
