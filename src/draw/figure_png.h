// Writes a figure as PNG: drawn in memory with smooth edges and our own font.
#pragma once
#include "draw/figure.h"

// scale: pixels per point, 1 to 8. Appends the bytes of the file to `out`. false: the picture is too large for a PNG.
bool figure_png(const Figure *f, double scale, Text *out);
