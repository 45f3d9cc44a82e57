// The work of events, and the literal value of a mode.
#pragma once
#include <float.h>
#include <math.h>

#include "model/system.h"
#include "simulate/memory.h"

enum { SLIDE_MOST = 64 }; // surfaces that a motion slides on at once

enum {
  EVENT_CHECKS = 4, // more points of a stretch at which its samples must tell the functions
  EVENT_PARTS = 4,  // of a stretch of time in which the switching functions are looked at
  EVENT_DEPTH = 12, // stretches are halved so often until their samples tell the functions
};

typedef struct EventSample { // of the switching functions
  double t;
  double *w, *margin; // by event
} EventSample;

typedef struct EventWork {
  SystemWork *work;
  EventKind *kind;  // by event
  double span;      // of the simulation: the scale of time
  double *w, *next; // switching functions, now and a moment later
  double *slope;    // of the states, for that moment
  bool *rests;      // by event: w stands on its limit and does not move
  double *forgiven; // by event: the limit at which rounding errors of w do not count, NaN: none
  // Search.
  bool known;                                     // end[0], from the step before
  EventSample end[2];                             // of the step
  EventSample part[EVENT_DEPTH + 1][EVENT_PARTS]; // inside a stretch: the ends of its parts
  double weight[EVENT_CHECKS][EVENT_PARTS + 1];
  EventSample trial;  // while an event is located
  int depth;          // how deep the last search went
  double resolved;    // length of the last stretch whose samples told the functions
  double *x;          // states at a trial time
  double *low, *high; // by event: least and largest w at the beginnings of steps
  double *scale;      // by event: size of the terms of w, at the start or at the last event
  // By event: the distance of low and high, and a thousandth of the size: what rounding errors are compared with.
  double *size;
  // What was found.
  int found;
  double found_mode;
  double near_t, *near_x; // just before it
  // Passing.
  bool *pending;      // by event: has crossed, and waits for its turn
  bool one_by_one;    // those that wait do so whatever jumps
  bool *held;         // by event: is where its own motion took it
  int *changes;       // by event, while modes settle
  double *settled;    // modes before that
  double *changed_at; // w at the last of these changes
  bool *tried;        // by event: has changed meanwhile
  bool leaves;        // a solution that ends, for another one
  bool searching;     // modes in all combinations
  bool lenient;       // for those on their limit
  double *frozen;     // modes while others are in use
  bool *frozen_rests;
  double *frozen_forgiven;
  double *f_before, *f_old, *f_new, *by_column;
  double *moment; // by column: how the time of the event moves
  double rate;    // of the switching function that was crossed
  bool *crossed;  // by event: at the time of the event that is passed
  double *bend;   // of the slopes before it
  double last_time;
  int repeats; // events at the same time
  long *count; // by event: how often it has changed its mode by itself since event_begin
  // Integrated through, see event_through.h.
  bool *through; // by event
  int through_count;
  int *smooth_times;  // by event: how often in a row it was smooth
  long *smooth_since; // by event: number of the step of the first of these
  long steps;         // that were searched
  double *followed;   // scratch: switching functions
  // Of motions that stay on surfaces, see slide.h.
  bool never_slides;
  bool slide_over; // at the last decision more surfaces than SLIDE_MOST were reached
  int **events_of; // by surface: its events, and -1
  int slide[SLIDE_MOST], slide_count; // numbers of surfaces
  bool *slides;                       // by event: belongs to one of these
  // By event that stands for a surface: the motion rests there by a value that the law has on it; which side is compared with
  // that, 0: it does not rest so.
  int *own_side;
  bool has_own_values; // of some surface
  double
      holds; // shares of sides, up to which such a value holds the motion: more than rounding errors and drift leave
  bool *decided;                         // by event: its surface was left just now, to its side
  bool slid;                             // surfaces were reached or left at this event
  long *sticks;                          // by event: how often its surface began to hold the motion
  long more_rhs;                         // evaluations of the equations besides one for each call
  double *own_low, *own_high, *own_size; // by event: those of w, while they are of the share
  double *before_slide, *modes_before;   // scratch: modes
  double *corner[SLIDE_MOST + 1];        // scratch: the motion, outputs or Jacobian at corners
  // By event: while its surface holds the motion, how far w may drift away by errors of the steps; after it was left, so much more is
  // forgiven until w is further away.
  double *drift, *grace;
  double *off; // scratch: switching functions beside the motion
  double *slide_rate, *slide_by[SLIDE_MOST + 1], *share_by, *mixed; // scratch, see slide.c
  double *moved, *contribution, *arriving, *arrival_rate;           // the same
  // Of a motion that leaves a surface on which it rested by itself.
  int slips; // the surface, while that is passed; else -1
  bool leaves_exactly;
  double *leaving,
      *leave_moment; // slopes on it, those of sensitivities too; by column: how the time moves
  // Of hybrid systems, see event_jump.h.
  bool live;        // switching functions are those at an event, where discrete variables change
  bool jumped;      // states have jumped at this event
  int stuck;        // event whose jumps have become too small to see, -1: none
  double *later;    // switching functions two moments later
  double *after;    // results of system_jump
  double *timer;    // results of system_timers
  double *needed;   // by event: 0 where nothing depends on it until the next event
  bool common;      // all events that have crossed move alike, by moment
  double *other;    // the same of another event at the same time
  char *kept;       // scratch: how things stood before events that happen at one time
  double *result;   // scratch: what these did together, states first
  double *in_order; // scratch: states and sensitivities after these one by one, in their order
  int timer_event;  // the next one at a known time
  double timer_mode;
  int terminated;      // number of the terminate that was met, counted from 1; 0: none
  char unsettled[200]; // what keeps changing: names of discrete variables, or relations
} EventWork;

EventWork *event_work_new(Arena *a, SystemWork *w); // keeps the pointer
// What it knows at the end of a step, modes and discrete variables included, see memory.h.
void event_memory(EventWork *e, Memory *m);
// The same while an event is passed, with marks, states and sensitivities, in e->kept. Returns its bytes.
size_t event_keep(EventWork *e, MemoryUse use, double *y);

// Of the size of a switching function: what differs by less may be a rounding error.
static const double EVENT_ROUNDING = 1e-12;

// What the relation, floor or sign gives for w.
double event_literal_of(EventKind kind, double w);
static inline double event_literal(const EventWork *e, int k, double w) {
  return event_literal_of(e->kind[k], w);
}

// The limit that w is nearest to, and whether w stands there up to rounding errors.
static inline double event_limit(const EventWork *e, int k, double w) {
  return e->kind[k] == EVENT_FLOOR ? nearbyint(w) : 0;
}

static inline bool event_on_limit(const EventWork *e, int k, double w) {
  return fabs(w - event_limit(e, k, w)) <= EVENT_ROUNDING * e->size[k];
}

// How far w is from changing the mode in use: negative if and only if the literal value is another one, and not by a
// rounding error of a w that rests on its limit. Comparisons instead of fmin and fmax, which are calls: this is the
// innermost loop of the search.
static inline double event_margin(const EventWork *e, int k, double w) {
  const System *s = e->work->system;
  double mode = e->work->par[s->at.mode + k], far, literal;
  switch (e->kind[k]) {
  case EVENT_FLOOR:
    far = w - mode < mode + 1 - w ? w - mode : mode + 1 - w;
    literal = floor(w);
    break;
  case EVENT_SIGN:
    far = mode != 0 ? mode * w : -fabs(w);
    literal = (w > 0) - (w < 0);
    break;
  default: far = mode != 0 ? -w : w; literal = e->kind[k] == EVENT_NEGATIVE ? w < 0 : w <= 0;
  }
  bool wrong = literal != mode && isfinite(w) &&
               !(fabs(w - e->forgiven[k]) <= EVENT_ROUNDING * e->size[k] + e->grace[k]);
  if (wrong) return far < -DBL_MIN ? far : -DBL_MIN;
  return far > 0 ? far : 0;
}

// Times that differ by less are the same: events at known times happen together, and what is due a moment later is due.
static inline double event_tick(const EventWork *e, double t) {
  const SystemWork *w = e->work;
  double size = fabs(w->par[w->system->at.origin] + t);
  if (fabs(t) > size) size = fabs(t);
  return 8 * DBL_EPSILON * (size > e->span ? size : e->span);
}
