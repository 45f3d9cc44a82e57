// Simulators of the caller as closed models.
#pragma once
#include "closed/closed_simulator.h"
#include "entrain.h"

// NULL and err if it is not complete.
ClosedSimulator *api_closed_function(const EntrainSimulator *s, Err *err);
