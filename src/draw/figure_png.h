// A picture as PNG: drawn in memory with smooth edges and letters of our own.
#pragma once
#include "draw/figure.h"

// scale: pixels a point, 1 to 8. The bytes of the file are added to `out`. false: the picture is too large for a PNG.
bool figure_png(const Figure *f, double scale, Text *out);
