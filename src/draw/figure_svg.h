// Writes a figure as SVG: text stays text, names are escaped.
#pragma once
#include "draw/figure.h"

void figure_svg(const Figure *f, Text *out);
