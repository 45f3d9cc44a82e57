// Numbers as colours, from light to dark, with a bar that explains them.
#pragma once
#include "draw/figure_axes.h"

typedef struct ColourScale {
  double least, most; // > 0 on a logarithmic scale; most >= least
  bool log;
  const char *label;
} ColourScale;

Ink colour_of(const ColourScale *s,
              double value); // values beyond the ends have the colours of these
enum { COLOUR_BAR_HEIGHT = 14, COLOUR_BAR_ROOM = 56 }; // of the bar; with numbers and label
// A horizontal bar with its numbers and label below.
void colour_bar(Figure *f, Spot corner, double width, const ColourScale *s);
