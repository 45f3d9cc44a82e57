// The global methods: populations inside the bounds; they need values alone and draw random numbers from the option seed.
#pragma once
#include "local/lsq.h"

LocalMethod global_ga, global_pso, global_cma_es, global_de;
