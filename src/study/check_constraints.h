// The part of a check that looks at constraints between states, and whether the start values satisfy them.
#pragma once
#include "study/check.h"

void check_constraints(Check *c);
