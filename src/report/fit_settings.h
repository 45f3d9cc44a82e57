// The options of a fit that differ from their defaults.
#pragma once
#include "problem/problem.h"

// The default in a fit: that of the table, but tighter tolerances.
const char *fit_default_text(const OptionRow *row);

typedef void FitSettingSink(void *data, const OptionRow *row, const char *value);
// Calls sink for each changed option of the fit and of its simulations.
void fit_settings_changed(const Problem *p, FitSettingSink *sink, void *data);
