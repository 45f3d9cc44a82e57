// Which relations matter between events.
#pragma once
#include "model/model.h"

// Sets m->needed of a hybrid model.
void find_needed_events(Model *m);
