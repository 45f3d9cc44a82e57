// The part of a check that looks at the samples alone.
#pragma once
#include "residual/measured_data.h"
#include "study/check.h"

void check_data(Check *c, const MeasuredData *d);
