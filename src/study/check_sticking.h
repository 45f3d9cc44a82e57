// What can be said before a fit about relations that hold the motion: how often they do, and whether a smooth law costs less.
#pragma once
#include "residual/evaluate.h"
#include "study/check.h"

// Simulates at x as it is, and with smooth laws of several widths.
void check_sticking(Check *c, EvalWork *w, const double *x);
