// method: auto. Parts that succeed on different kinds of problems, the cheapest first, until one result is certain.
#pragma once
#include "search/search.h"

void portfolio_run(Search *s); // from s->next_start
// Fits a result in pieces again, with the present weighting. It stays as it is when that fails.
void portfolio_refit_pieces(Search *s);
