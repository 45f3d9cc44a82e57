// Pictures of a simulation: each column over the first one.
#pragma once
#include "report/figure_list.h"
#include "write/series.h"

// Adds "motion", twelve columns a picture. units: by column, "" or NULL: unknown.
void series_figures(FigureList *l, const Series *s, const char *const *units, const char *title);
