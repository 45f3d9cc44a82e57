// Motions that stay on surfaces: where the equations turn the motion back from both sides of w(t, x) = 0 (dry friction that
// sticks), it goes on along w = 0 with a mixture of both sides. All of these are system_*() while nothing slides.
#pragma once
#include "simulate/event_work.h"
#include "simulate/stepper.h"

void slide_prepare(EventWork *e); // once

void slide_rhs(EventWork *e, double t, const double *x, double *dx);
void slide_rhs_sens(EventWork *e, double t, const double *y, double *dy);
// Of surfaces that the motion slides on: the share of the side where w > 0, which leaves [0, 1] where the motion leaves the surface.
void slide_events(EventWork *e, double t, const double *x, double *switching);
void slide_outputs(EventWork *e, double t, const double *y, double *values, double *sens);
// Without the change of the shares: for iterations that an approximation serves.
void slide_jacobian(EventWork *e, double t, const double *x, double *J, double *ft);

typedef enum SlideChange { SLIDE_SAME, SLIDE_CHANGED, SLIDE_UNCLEAR } SlideChange;

// At (t, y): on which of the surfaces that it has reached does the motion stay, and which does it leave, and to which side?
// Those that are reached: the motion slides on it, or its w is 0, or one of its events is pending. Where it begins to
// slide, states and (columns) sensitivities are moved onto the surface. SLIDE_UNCLEAR: sides mix in a way that has no
// single answer.
SlideChange slide_decide(EventWork *e, double t, double *y, bool columns);
void slide_project(EventWork *e, double t, double *y,
                   bool columns); // onto the surfaces that it slides on
// Moves states and sensitivities that have drifted away by more than rounding errors, or some tolerances (NULL: none), back onto the
// surfaces. true: they have moved.
bool slide_keep(EventWork *e, double t, double *y, const Tolerance *tol);
void slide_release(EventWork *e, double t,
                   const double *y); // from surfaces that a jump has taken it away from
// A motion that rested on a surface by itself (a law with a value of its own at w = 0) and leaves it is seen a moment later. Returns how
// long ago it began to leave the surface of this event, 0: it did not rest there; and takes y back to that time, where e->slips
// is this surface, and e->leave_moment, if e->leaves_exactly, says how that time moves. With the modes from before.
double slide_begin_leave(EventWork *e, double t, double *y, int event);
// From there to t again, with the modes that it has since.
void slide_end_leave(EventWork *e, double t, double *y, double since);
double slide_peak(const EventWork *e, int event); // of |w|, so far
void slide_forget(EventWork *e);                  // nothing slides
void slide_count_anew(EventWork *e);              // how often it did, and what that cost
