// Events: where a relation, abs, sign, min, max or floor of the model changes, and what happens there. Each has a mode in
// the work of the system, its value, which is constant between events.
#pragma once
#include "model/system.h"
#include "simulate/stepper.h"

typedef struct EventWork EventWork;

EventWork *event_work_new(Arena *a, SystemWork *w); // keeps the pointer

// Modes are iterated until each is what its relation literally gives at (t, x). false: they do not settle, and *event is
// one that keeps changing. At the start, after system_start; `span`: duration of the simulation, the scale of time.
bool event_begin(EventWork *e, double t, const double *x, double span, int *event);
// The same where an input has jumped.
bool event_jump(EventWork *e, double t, const double *x, int *event);

typedef enum EventFind {
  EVENT_NONE,
  EVENT_FOUND,   // at `at`; times from `before` on belong to it
  EVENT_UNCLEAR, // the step is too long to tell: it is known until `at` only, which is before its end
} EventFind;

// The first event in the last step of s. Shortens the next step of s to what the events can follow.
EventFind event_find(EventWork *e, Stepper *s, double *before, double *at);
// Passes the event that was found: all modes that change, and the sensitivities in y. *continuous: the slopes go on as
// they were, up to the tolerances in a step of length h. false: events follow each other without end, as *event does.
bool event_pass(EventWork *e, double t, double *y, double h, const Tolerance *tol, bool *continuous,
                int *event);

// Beyond an event the side in use may not exist, such as sqrt(x) below 0. These take the modes as they are at (t, x)
// instead (false: they are those in use already) and go back.
bool event_true_modes(EventWork *e, double t, const double *x);
void event_frozen_modes(EventWork *e);
// The same for a point exactly on a limit: the modes that the motion will have next.
bool event_next_modes(EventWork *e, double t, const double *x);

// How often event k has changed its mode since event_begin.
long event_count(const EventWork *e, int k);
