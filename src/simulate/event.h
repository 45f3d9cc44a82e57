// State events: where a relation, abs, sign, min, max or floor of the model changes, and what happens there.
#pragma once
#include "model/system.h"
#include "simulate/stepper.h"

typedef struct EventWork EventWork;

EventWork *event_work_new(Arena *a, SystemWork *w); // keeps the pointer
// The modes at the start are in the work of the system; those that sit exactly on a kink follow the motion.
void event_begin(EventWork *e, double t, const double *y);
// The first event in the last step of s: its number and the times just before and just behind the kink, neighbouring
// numbers if possible. false when there is none. Shortens the next step of s to what the events can follow.
bool event_find(EventWork *e, Stepper *s, double *before, double *at, int *event);
// Beyond a kink the side in use may not exist, such as sqrt(x) below 0. These take the modes as they are at (t, x) instead
// (false: they are those in use already) and go back.
bool event_true_modes(EventWork *e, double t, const double *x);
void event_frozen_modes(EventWork *e);
// The same for a point that lies exactly on a kink: the modes that the motion will have next.
bool event_next_modes(EventWork *e, double t, const double *y);
// Changes the mode of the event, then of others that change with it, and carries the sensitivities in y across.
// false when events follow each other without end.
bool event_pass(EventWork *e, double t, double *y, int event);
// Modes that an input has made wrong by its jump change. false: *event has no right mode.
bool event_jump(EventWork *e, double t, const double *y, int *event);
