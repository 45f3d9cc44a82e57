// What is asked of a simulation and what it gives: the request, rows of outputs, and how it ended.
#pragma once
#include "simulate/input.h"
#include "simulate/stepper.h"

// OUTCOME(name, word, meaning)
#define OUTCOMES                                                                                   \
  OUTCOME(REACHED_END, "reached-end", "the simulation reached its end")                            \
  OUTCOME(TOO_MANY_STEPS, "too-many-steps", "the integrator used up max_steps")                    \
  OUTCOME(STEP_TOO_SMALL, "step-too-small", "no step is small enough for the tolerances")          \
  OUTCOME(NOT_COMPUTABLE, "not-computable", "the equations cannot be computed")                    \
  OUTCOME(NO_START, "no-start", "no consistent start values were found")                           \
  OUTCOME(CHATTER, "chatter", "events follow each other without end")                              \
  OUTCOME(TOO_MANY_EVENTS, "too-many-events", "the simulation used up max_events")                 \
  OUTCOME(SINGULAR, "singular-position", "constraints became dependent on each other")             \
  OUTCOME(LOST, "constraints-lost", "the motion left its constraints")                             \
  OUTCOME(STOPPED, "stopped", "it was stopped, or its time was up")                                \
  OUTCOME(TERMINATED, "terminated", "the model ended it with terminate")                           \
  OUTCOME(ABANDONED, "abandoned", "whoever watched it had seen enough")                            \
  OUTCOME(ASSERTION, "assertion", "a condition that the model asserts does not hold")              \
  /* of closed simulators: */                                                                      \
  OUTCOME(CRASHED, "crashed", "the simulator was ended by a signal")                               \
  OUTCOME(EXITED, "exited", "the simulator ended its process before it had answered")              \
  OUTCOME(TIMED_OUT, "timed-out", "the simulator took longer than its timeout")                    \
  OUTCOME(NO_MEMORY, "out-of-memory", "the simulator used up the memory that it may use")          \
  OUTCOME(REFUSED, "simulator-error", "the simulator reported an error")                           \
  OUTCOME(BAD_OUTPUT, "bad-output", "what the simulator gave cannot be used")                      \
  OUTCOME(TOO_SHORT, "too-short", "the output of the simulator ends before the last sample")

typedef enum Outcome {
#define OUTCOME(name, word, meaning) OUTCOME_##name,
  OUTCOMES
#undef OUTCOME
      OUTCOME_COUNT
} Outcome;

const char *outcome_word(Outcome o);
const char *outcome_meaning(Outcome o);

// A point from which a simulation goes on, instead of from the start values.
typedef struct SimulateStart {
  double t; // since the origin
  // By state, the same for all lanes; some discrete variables are states, too. NaN: as at the start.
  const double *x;
  // Of x: [state][column], as many columns as the system stores (stride); lanes 1. NULL: 0.
  const double *sens;
  // What else a simulation knew there, see SimulatePoint. NULL: nothing. Discrete variables then have their start values,
  // and modes, roots of simultaneous equations and whatever happens at once are settled there as they are at a start.
  const struct SimulatePoint *point;
} SimulateStart;

typedef struct SimulateRequest {
  const double *p;            // all parameters, lanes neighbouring numbers each
  const Input *const *inputs; // by input of the model; NULL when there are none
  double origin; // time in the model is origin + t; all times here and of the inputs are such t
  double start;  // ignored with `from`
  const SimulateStart *from; // NULL: from the start values
  const double *times;       // increasing, none before start but for the first ones,
  int rows_before;           // whose rows are there already; 0 without `from`
  int count;
  long max_steps; // 0: as the options say
  // The integrator begins anew at mark->start.t, and everything that it knows there is kept in the mark, if the time is
  // inside the simulation; NULL: nowhere. ends_at_mark: it ends there, with the rows before that time.
  struct SimulatePoint *mark;
  bool ends_at_mark;
  // At these times (increasing) the states are set anew, after rows and events there: reset changes the numbers of the stepper
  // (stepper.h) at stop k. Where the model has invariants, the nearest states that satisfy them are taken. lanes 1.
  const double *stops;
  int stop_count;
  void (*reset)(void *data, int k, double *y);
  void *reset_data;
  // Of closed models: how slopes are made where differences are needed; NULL: steps are chosen anew, within the bounds of the
  // model.
  const struct ClosedSlopes *slopes;
  bool refined;   // more accurately than asked for, as a check of the simulator's own accuracy
  int experiment; // its number in the problem file, from 0
  const char *experiment_name; // or NULL
} SimulateRequest;

typedef struct ClosedRuns {  // of a closed simulator
  long count;                // those for differences included
  long ended[OUTCOME_COUNT]; // those for differences that failed
  Outcome how;               // the last of these, and its words
  char message[700];
} ClosedRuns;

// Where the motion stuck, see slide.h.
enum { STUCK_MOST = 8 };
typedef struct Stuck {
  int event;
  long times;
  double peak; // of |w|
} Stuck;

typedef struct Trajectory {
  Outcome outcome;
  // Output times that were reached. A row at the time of an event or of a break of an input shows what comes after it,
  // but for derivatives of inputs in the last row: it belongs to the motion before.
  int rows;
  // The caller's storage for all rows: by rows, or (one lane) by columns.
  double *values; // [row][output][lane], or NULL
  double *sens;   // [row][output][parameter][lane], or NULL
  double *const
      *column; // [output][row], then [output*parameter][row] when sensitivities are wanted; or NULL
  bool with_sens; // by columns: whether sensitivities are wanted
  // Called when rows have been added, NULL: none. false ends the simulation as abandoned.
  bool (*watch)(void *data, int rows);
  void *watch_data;
  // Called after every accepted step, whose dense output it may read; NULL: none.
  void (*stepped)(void *data, Stepper *s);
  void *stepped_data;
  StepCount work;
  long events;
  Stuck stuck[STUCK_MOST]; // by surface
  int stuck_count;
  double t_end; // how far it came, as time in the model
  // How well the invariants that index reduction left hold at the steps: the largest |g_i|, the same against the size
  // of its terms (0 with several lanes), and the largest |g_x s + g_p| of their sensitivities times |p| (1 where p is
  // 0); and of which invariant, -1: there is none.
  double violation, violation_relative, violation_sens;
  int violation_of, violation_relative_of, violation_sens_of;
  ClosedRuns runs;
  bool
      slopes_failed; // the simulator reached the end, but not in runs for the slopes; the outcome is theirs
  char slopes_by[120]; // how a closed simulator's slopes were made, "": not a closed one
  char solver[48];     // "rk8, rosenbrock"
  // Sentences when it did not reach the end, or about what made it slow.
  char message[700];
  char log[2000]; // last lines that a closed simulator wrote
} Trajectory;
