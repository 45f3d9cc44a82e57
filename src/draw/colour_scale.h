// Numbers as colours, with a bar that explains them: from light to dark, or from blue over white to red.
#pragma once
#include "draw/figure_axes.h"

typedef struct ColourScale {
  double least, most; // > 0 on a logarithmic scale; most >= least
  bool log;
  const char *label;
  bool two_sided; // blue .. white .. red: for numbers of both signs, with least = -most
} ColourScale;

Ink colour_of(const ColourScale *s,
              double value); // values beyond the ends have the colours of these
enum { COLOUR_BAR_HEIGHT = 14, COLOUR_BAR_ROOM = 56 }; // of the bar; with numbers and label
// A horizontal bar with its numbers and label below.
void colour_bar(Figure *f, Spot corner, double width, const ColourScale *s);
