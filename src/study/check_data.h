// The part of a check that looks at the samples alone.
#pragma once
#include "study/check.h"

void check_data(Check *c);
