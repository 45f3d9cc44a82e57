// Writes a figure as PNG or PDF by the library cairo, which is loaded when the first such picture is wanted. It takes its fonts
// from fontconfig, which does not survive a lack of memory.
#pragma once
#include "base/err.h"
#include "draw/figure.h"

// false: the library or every font is missing, and err says what to install.
bool figure_cairo_ready(Err *err);

// Both append the bytes of a file to `out`, the same ones for the same figure. false: not ready, or the picture is too large;
// then nothing is appended.
bool figure_png(const Figure *f, double scale, Text *out,
                Err *err); // scale: pixels per point, 1 to 8
bool figure_pdf(const Figure *f, Text *out,
                Err *err); // one page of the size of the figure; text stays text
