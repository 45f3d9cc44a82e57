// Modes at one point of the motion, for event.c and event_jump.c.
#pragma once
#include "simulate/event_work.h"

// All modes are iterated to a fixed point at (t, x). false: they do not settle, and *event keeps changing.
bool event_settle(EventWork *e, double t, const double *x, int *event);
// Switching functions at (t, x), as event_wanted needs them.
void event_look(EventWork *e, double t, const double *x);
double event_wanted(EventWork *e, int k); // the mode that event k should have
// Changes a mode, and releases those that depend on it.
void event_change(EventWork *e, int k, double mode);
// Marks the events that have happened by now under the modes in use as pending, and the one that was found.
void event_mark_crossed(EventWork *e, double t, const double *y);
// Whether those that are pending move alike, moment = dt/dp; also false where the equations hold no motion on surfaces.
bool event_common_moment(EventWork *e, double t, const double *y, double *moment);
void event_forget_marks(EventWork *e);
// The surfaces that the motion stays on, see slide_decide, and what follows from that.
bool event_settle_slides(EventWork *e, double t, double *y, bool columns, int *event);
