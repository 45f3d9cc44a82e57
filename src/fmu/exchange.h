// Model exchange: an FMU behind our integrators.
//
// The state is [x | own]: the n continuous states of the FMU and the states of a feedback (closed/tie.h). Column k of the
// sensitivities belongs to slope k of the call and has an instance of its own, in which the parameter is larger by h:
//   f_x S_k + f_p = (f(x + h S_k, p + h e_k) - f(x, p))/h.
// All columns share the steps of the states, so no error of a step control is divided by h.
#pragma once
#include "closed/tie.h"
#include "fmu/fmu_run.h"
#include "simulate/stepper.h"

typedef struct ExchangeTie { // the feedback in this process
  const Tie *tie;
  Code *code;
  double *in, *state, *out, *work; // segments 0 and 1, results
  int *acting;                     // by acting state: its place in [x | own]
  FmuGroup *reads;
  double *read_there; // values in an instance of a column
  int *piece;         // of the signals
} ExchangeTie;

typedef struct ExchangeSearch ExchangeSearch; // where indicators change their sides

typedef struct Exchange {
  FmuRunner *r;
  const SimulatorCall *call;
  SimulatorAnswer *answer;
  int n, own, size;            // states of the FMU, of the feedback, both
  int ni, ns;                  // indicators, columns
  FmuInstance **instance;      // that of the motion, then one for each column
  double *h;                   // by column
  double *f, *there, *f_there; // slopes; states of a column and their slopes
  double *nominal;
  FmuInputs *inputs;
  FmuGroup *recorded;
  double *record_there;
  ExchangeTie *tie; // NULL: none
  Ode ode;
  Pattern pattern;
  Tolerance tol;
  double *abs_tol;
  const StepperRow *rows[2]; // explicit, implicit
  Stepper *steppers[2];
  int in_use;
  double t_end;
  double *y;        // scratch
  double *z, *z_at; // indicators
  ExchangeSearch *search;
  bool *positive;           // by indicator: its side between events
  double *next_event;       // by instance: time since the origin, HUGE_VAL: none
  long events, events_here; // all; since the motion last went on
  double last_event;
  bool failed; // an instance refused; the answer says why
  bool shown;  // the sensitivities are right across all events so far
} Exchange;

// Where the motion is: everything that belongs to time t and states x is set in the instance. false: it refused.
bool exchange_set(Exchange *e, int instance, double t, const double *x);
// States of column k at y: x + h S_k.
const double *exchange_column(Exchange *e, int k, const double *y);
// Slopes of [x | own] without columns: f.
bool exchange_slopes(Exchange *e, int instance, double t, const double *x, double *f);
bool exchange_own_slopes(Exchange *e, int instance, double t, const double *x,
                         double *f);                        // the same without the feedback
bool exchange_refused(Exchange *e, int instance, double t); // false, and the answer says why
bool exchange_terminated(Exchange *e, int instance,
                         double t); // the same: it ends the simulation itself
// A step of the integrator ends here, where the instance has been set; at an event before the event. *event: it wants event mode.
bool exchange_complete(Exchange *e, int instance, double t, bool *event);
// The sensitivities cannot be had by their equations; why: for the answer. The run ends, and one without them begins. Returns false.
bool exchange_give_up_slopes(Exchange *e, const char *why);

// The change of the parameter of a column that is so large a part of its size; inward where a bound is near.
double exchange_change(const SimulatorCall *call, int column, double part);
// That part by the plateau rule (exchange_step.c); usual: where f does not depend on the parameter.
double exchange_choose_part(Exchange *e, int column, double usual);

// At (t, x): a remark in the answer where the FMU's directional derivatives contradict differences of its derivatives.
void exchange_compare_directional(Exchange *e, double t, const double *x);

// ---- where events are (exchange_search.c)

ExchangeSearch *exchange_search_new(Arena *a, int indicators);
// The first time in the last step of the stepper at which an indicator has changed its side; HUGE_VAL: none. Shortens its next step
// to what the indicators can follow.
double exchange_find_event(Exchange *e, Stepper *s);

// ---- events (exchange_event.c)

bool exchange_look(Exchange *e, int instance, double t, const double *x, double *z); // indicators

typedef enum ExchangeEvent {
  EVENT_OF_STATE,
  EVENT_OF_TIME,
  EVENT_OF_STEP,
  EVENT_OF_INPUT, // it jumps
} ExchangeEvent;

// After the initialisation: settles discrete states of all instances; states and sensitivities into y. false: it ended.
bool exchange_first_event(Exchange *e, double *y);
// Passes the event at t, where y is the state before it. before: the stepper whose dense output ends at or after t. false: it ended.
bool exchange_pass_event(Exchange *e, Stepper *before, double t, ExchangeEvent kind, double *y);
// Whether all instances of columns are in the discrete state of the motion; else their slopes are given up.
bool exchange_do_the_same(Exchange *e, double t, const double *y);
void exchange_note_sides(Exchange *e, double t, const double *x); // of the indicators
