// The plots of a figure on a terminal: lines of Braille dots, single points as bullets.
#pragma once
#include "draw/figure.h"

typedef struct ScreenStyle {
  int width, height; // of all plots, in characters; small values are raised
  bool colour;       // escape sequences; without them curves differ by dashes
} ScreenStyle;

// Draws the first plots of a figure, at most so many, below each other. Plots that belong to the one before, as residuals do,
// are left out and not counted. Plots over the same quantity share its axis. A number that is not finite is a gap.
void figure_screen(const Figure *f, int plots_most, const ScreenStyle *style, Text *out);
// Number of plots that it can draw.
int figure_screen_plots(const Figure *f);
