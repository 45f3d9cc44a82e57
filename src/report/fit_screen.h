// Data and model of the first channels on a terminal.
#pragma once
#include "draw/figure_screen.h"
#include "report/fit_figures.h"

enum { FIT_SCREEN_CHANNELS = 4 };

// Draws the channels of the first experiments, at most FIT_SCREEN_CHANNELS, and says how many more there are. Simulates at the
// result if that is not known yet. Writes nothing if there is no result, or no time.
void fit_screen(Text *out, const FitReport *r, EvalWork *w, const Weighting *weighting,
                ScreenStyle style);
