// Plots curves on a terminal with Unicode characters.
#pragma once
#include <stdbool.h>

#include "write/series.h"

typedef struct PlotStyle {
  int width, height; // of the whole plot, in characters; small values are raised
  bool colour;       // escape sequences; without them curves differ by dashes
} PlotStyle;

// Column 0 is the horizontal axis, the others are curves. Curves of very different size get their own panels. A number that
// is not finite is a gap.
void plot_series(const Series *s, const PlotStyle *style, Text *out);
