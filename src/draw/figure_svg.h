// Writes a figure as SVG: text stays text, names are escaped.
#pragma once
#include "draw/figure.h"

void figure_svg(const Figure *f, Text *out);
// The same as a part of a page, whose colours it takes over: black is that of the text, white and pale colours those of its paper (variables --paper, --tint,
// --line and --mid of its style), so that it can be read on dark paper, too. name: begins the names of its parts, which must be its own in
// the page.
void figure_svg_inside(const Figure *f, const char *name, Text *out);
