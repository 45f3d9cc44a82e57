// A picture of a check before a fit: which parameter changes what.
#pragma once
#include "draw/figure.h"
#include "study/check.h"

// How much each parameter changes each measured quantity, as a coloured table. Lives in a. NULL: it is not known.
Figure *check_sensitivity_figure(Arena *a, const Check *c);
