// Pictures of a study with known truth: where the estimates lie, and what each trial found.
#pragma once
#include "report/figure_list.h"
#include "study/recover.h"

// "estimates": histograms, with the truth and what the standard errors predict. "trials": each estimate with its standard
// errors. One panel for each unknown. Nothing is added if no trial has succeeded.
void recover_figures(FigureList *l, const Recover *r);
