// The part of a check that looks at the samples alone.
#pragma once
#include "study/check.h"

// The objective knows the noise.
void check_data(Check *c, const Objective *o);
