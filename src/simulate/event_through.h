// Events that need not be located in this simulation: value and slope of the motion went on at all that have happened.
#pragma once
#include "simulate/event_work.h"

// After an event at which the marked ones crossed. `smooth`: value and slope agreed. Relations that have switched smoothly
// many times are integrated through from now on, until event_begin.
void event_note_smooth(EventWork *e, bool smooth);
// From now on all are located again.
void event_locate_all(EventWork *e);
// The modes of these as they literally are at (t, x): before anything is computed there.
void event_follow(EventWork *e, double t, const double *x);
