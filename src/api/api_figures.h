// Pictures of a result for the caller of the library.
#pragma once
#include "entrain.h"
#include "report/figure_list.h"

EntrainFigures *api_figures(FigureList *l); // takes the list over
const FigureList *api_figure_list(const EntrainFigures *f);
