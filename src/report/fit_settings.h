// Options as a fit sees them: which differ from what holds without a word about them.
#pragma once
#include "problem/problem.h"

// What holds in a fit unless it is said otherwise: the default of the table, but finer tolerances.
const char *fit_default_text(const OptionRow *row);

typedef void FitSettingSink(void *data, const OptionRow *row, const char *value);
// The options of the problem that were changed, of the fit and of its simulations.
void fit_settings_changed(const Problem *p, FitSettingSink *sink, void *data);
