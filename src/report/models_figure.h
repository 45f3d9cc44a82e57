// Models side by side as bars: AIC above the least, and errors on data that were fitted, left out, or never seen.
#pragma once
#include "draw/figure.h"
#include "study/models.h"

Figure *models_criteria_figure(Arena *a, const Models *m); // NULL: there is nothing to draw
Figure *models_errors_figure(Arena *a, const Models *m);   // a group of bars for each variable
