// Events of tables in time: when they happen is known in advance, so that steps can end there.
#pragma once
#include "model/model.h"

// Fills m->timed: events of tables whose argument is slope*t + offset with numbers that follow from parameters and modes.
void find_timed_events(Model *m);
