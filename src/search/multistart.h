// multistart(method, n): a method from n starts. The first is that of the fit, the others are spread over the bounds.
#pragma once
#include "search/many_fits.h"
#include "search/search.h"

// fit: how each of them is fitted. target: an objective that ends it, < 0: none.
void multistart_run(Search *s, RunFit *fit, Method method, int count, double target);
