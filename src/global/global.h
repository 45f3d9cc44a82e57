// The global methods: populations of points inside the bounds. They are called like local methods, need values alone, and
// have options of their own in LocalOptions.population.
#pragma once
#include "local/local.h"

LocalMethod global_ga, global_pso, global_cma_es, global_de;
