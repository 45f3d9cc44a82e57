// The work of events, and the literal value of a mode.
#pragma once
#include "model/system.h"

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
  // Search.
  bool known;                                     // end[0], from the step before
  EventSample end[2];                             // of the step
  EventSample part[EVENT_DEPTH + 1][EVENT_PARTS]; // inside a stretch: the ends of its parts
  double weight[EVENT_CHECKS][EVENT_PARTS + 1];
  EventSample trial; // while an event is located
  int depth;         // how deep the last search went
  double *x;         // states at a trial time
  double *size;      // by event: the largest |w| at the beginning of a step
  // What was found.
  int found;
  double found_mode;
  double near_t, *near_x; // just before it
  // Passing.
  bool *pending;      // by event: has crossed, and waits for its turn
  bool *held;         // by event: is where its own motion took it
  int *changes;       // by event, while modes settle
  double *settled;    // modes before that
  double *changed_at; // w at the last of these changes
  double *frozen;     // modes while others are in use
  bool *frozen_rests;
  double *f_before, *f_old, *f_new, *by_column;
  double rate; // of the switching function that was crossed
  double last_time;
  int repeats; // events at the same time
  long *count; // by event: how often it has changed its mode by itself since event_begin
} EventWork;

EventWork *event_work_new(Arena *a, SystemWork *w); // keeps the pointer

// Of the largest value that a switching function has had: what differs by less may be a rounding error.
static const double EVENT_ROUNDING = 1e-12;

// What the relation, floor or sign gives for w.
double event_literal(const EventWork *e, int k, double w);
// How far w is from changing the mode in use: negative if and only if the literal value is another one, and not by a
// rounding error of a w that rests on its limit.
double event_margin(const EventWork *e, int k, double w);
// The limit that w is nearest to, and whether w stands there up to rounding errors.
double event_limit(const EventWork *e, int k, double w);
bool event_on_limit(const EventWork *e, int k, double w);
