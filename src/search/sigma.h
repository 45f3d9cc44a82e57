// Sigmas that are found together with the unknowns.
#pragma once
#include "search/search.h"

// At the best point, which follows. target: objective at which local searches may stop; < 0: none.
void sigma_settle(Search *s, double target);
