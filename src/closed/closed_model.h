// A ClosedModel (simulate/closed.h): one simulation is the call, its answer as states x and sensitivities S at the output times, and the outputs
// computed from these as for any other model.
#pragma once
#include "closed/closed_simulator.h"

// An empty one of this kind; the caller fills in the rest. The description must outlive it.
ClosedSimulator *closed_simulator_new(const ClosedDescription *d, const char *name,
                                      const char *kind);
