// Plots a series on a terminal.
#pragma once
#include "draw/figure_screen.h"
#include "write/series.h"

// Column 0 is the horizontal axis, the others are curves. Curves of very different size get their own panels.
void plot_series(const Series *s, const ScreenStyle *style, Text *out);
