// Slopes of closed models by differences of whole runs.
//
// Central: (y(p + h) - y(p - h))/(2h); near a bound (-3 y(p) + 4 y(p + h) - y(p + 2h))/(2h), inward. Forward: (y(p + h) - y(p))/h.
// No fixed h is right: large ones fail at events, small ones drown in the errors of the simulator's own integrator. The
// plateau rule tries h = size * 10^-1 .. 10^-7 by central differences and takes the h whose slopes differ least from those of the next smaller one.
#pragma once
#include "closed/closed_work.h"

// Fills answer->slopes, by the slopes of the work, with the steps of the request (or such chosen here). Where a run fails the other
// side serves; where both do, the outcome of the answer becomes theirs, and false is returned.
bool closed_differences(ClosedWork *w, const SimulateRequest *request, SimulatorAnswer *answer,
                        ClosedRuns *runs);
// Of a simulator that makes slopes itself: the steps of its differences of f, for those that are 0, by one run at the parameters of
// the request, and whether whole runs confirm the slopes. If not, steps of whole runs are needed.
ClosedParts closed_choose_parts(ClosedWork *w, const SimulateRequest *request, SlopeStep *steps,
                                ClosedRuns *runs);
// Whether differences of whole runs confirm the slopes that the simulator made itself. Theirs come from differences of f and of the
// outputs with tiny steps: an FMU that computes with few digits, iterates inside, or hides states makes them wrong.
bool closed_slopes_hold(ClosedWork *w, const SimulateRequest *request,
                        const SimulatorAnswer *answer, ClosedRuns *runs);
void closed_choose_steps(ClosedWork *w, const SimulateRequest *request, const int *parameters,
                         int count, SlopeStep *steps, ClosedRuns *runs);
