// Events: where a relation, abs, sign, min, max or floor of the model changes, and what happens there. Each has a mode in
// the work of the system, its value, which is constant between events.
#pragma once
#include "simulate/event_work.h"
#include "simulate/stepper.h"

// Modes are iterated until each is what its relation literally gives at (t, x). false: they do not settle, and *event is
// one that keeps changing. At the start, after system_start; `span`: duration of the simulation, the scale of time.
bool event_begin(EventWork *e, double t, double *y, double span, int *event);
// The same where an input has jumped.
bool event_jump(EventWork *e, double t, double *y, int *event);

// Passes the event that was found: all modes that change, and the sensitivities in y. *continuous: the slopes go on as
// they were, up to the tolerances in a step of length h, and do not change much faster than before. false: events follow each other without end, as *event does.
bool event_pass(EventWork *e, double t, double *y, double h, const Tolerance *tol, bool *continuous,
                int *event);

// Beyond an event the side in use may not exist, such as sqrt(x) below 0. These take the modes as they are at (t, x)
// instead (false: they are those in use already) and go back.
bool event_true_modes(EventWork *e, double t, const double *x);
void event_frozen_modes(EventWork *e);
// The same for a point exactly on a limit: the modes that the motion will have next.
bool event_next_modes(EventWork *e, double t, const double *x);

// Jumps at an event have become too small to see, nothing in the model has taken care of it, and now the motion goes on
// beyond the event as if there were none: that event. -1: none.
int event_stuck(EventWork *e, double t, const double *x);
