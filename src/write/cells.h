// Cells of CSV files.
#pragma once
#include "base/text.h"

void cells_text(Text *out, const char *text); // in quotes if it contains a separator or a quote
void cells_number(Text *out, double value);   // shortest exact form; empty if it is not finite
void cells_numbers(Text *out, const double *values, int count); // a comma before each
