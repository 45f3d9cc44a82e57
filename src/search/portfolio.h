// method: auto. Parts that succeed on different kinds of problems, the cheapest first, until the verdict is decided.
#pragma once
#include "search/search.h"

void portfolio_run(Search *s); // from s->next_start
