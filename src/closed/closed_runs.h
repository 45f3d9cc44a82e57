// Runs of a closed simulator, side by side. In a study with a record (base/record.h) several runs are a set of jobs that all who take
// part share, and single ones that take long are recorded.
#pragma once
#include "closed/closed_simulator.h"

void closed_runs(ClosedSimulator *s, const SimulatorCall *const *calls,
                 SimulatorAnswer *const *answers, int count);
