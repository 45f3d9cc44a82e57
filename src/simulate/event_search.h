// Looks for events in a step.
#pragma once
#include "simulate/event_work.h"
#include "simulate/stepper.h"

typedef enum EventFind {
  EVENT_NONE,
  EVENT_FOUND,   // at `at`; times from `before` on belong to it
  EVENT_UNCLEAR, // the step is too long to tell: it is known until `at` only, which is before its end
} EventFind;

void event_search_prepare(EventWork *e); // once
// The first event in the last step of s. Shortens the next step of s to what the events can follow.
EventFind event_find(EventWork *e, Stepper *s, double *before, double *at);
