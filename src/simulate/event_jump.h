// Events of hybrid systems: discrete variables change, states jump, and this may cause further changes at the same time.
#pragma once
#include "simulate/event_work.h"

// Iterates modes, discrete variables and jumps at (t, y) until nothing changes; pulses of the model (model/flat.h) are
// live. Sensitivities in y are total derivatives meanwhile: of the states at the time of the event, which moves by
// e->moment. false: modes keep changing (*event is one of them), or discrete variables (*event is -1, e->unsettled).
bool event_iterate(EventWork *e, double t, double *y, int *event);
// The same, if anything differs from what is held, for the start of a simulation.
bool event_iterate_start(EventWork *e, double t, double *y, int *event);
// Crosses all events that have happened at t, with everything that follows from them.
bool event_cross_jump(EventWork *e, double t, double *y, int *event);

// The next event at a known time behind t; HUGE_VAL: none. It is the event found, see event_find.
double event_next_time(EventWork *e, double t, const double *x);
// The event of a sample whose interval is not positive at these parameters; -1: none.
int event_bad_sample(EventWork *e, double t, const double *x);
// That event is reached.
void event_found_at(EventWork *e, double t, const double *x);
