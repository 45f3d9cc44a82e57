// Curves over time, drawn for a terminal with Unicode characters.
#pragma once
#include <stdbool.h>

#include "write/series.h"

typedef struct PlotStyle {
  int width, height; // of the whole picture, in characters; small ones are made larger
  bool colour;       // escape sequences; without them curves are told apart by dashes
} PlotStyle;

// Column 0 is the horizontal axis, the others are the curves. Curves of much different size get panels of their own. A
// number that is not finite is a gap.
void plot_series(const Series *s, const PlotStyle *style, Text *out);
