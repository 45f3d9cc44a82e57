// One run of a closed simulator (an FMU, a program, a function of the caller): what it is asked for, and what it answers.
// Plain numbers and texts, so that a run is one message to a worker process and one back (worker_message.h).
#pragma once
#include "base/arena.h"
#include "simulate/input.h"
#include "simulate/trajectory.h"

typedef struct CallText { // a parameter whose value is a text
  int parameter;
  const char *text;
} CallText;

typedef struct SimulatorCall {
  double origin; // time in the simulator is origin + t, for all times t here and of the inputs
  double start;  // where the simulation begins
  const double *times; // increasing, none before start; values are wanted at these
  int count;
  // By parameter of the simulator (ClosedDescription): its value, and whether it differs from the default of the simulator.
  // Only those have to be set.
  const double *parameters;
  const bool *given;
  int parameter_count;
  const CallText *texts; // values of parameters that are texts
  int text_count;
  const Input *const *inputs; // by input of the simulator; NULL: it keeps its default
  int input_count;
  const int *variables; // that are recorded, by number in the description
  int variable_count;
  // Slopes by these parameters are wanted, where the simulator can compute them itself; 0: values alone.
  const int *slopes;
  const double *slope_size; // by slope: the size of the parameter, > 0, that steps are a part of
  const double *slope_low, *slope_high; // its bounds; may be infinite
  const double *slope_part; // steps of differences of f as a part of this size; 0: to be chosen
  int slope_count;
  const struct Tie *tie;   // a feedback that is added to the slopes of its states; NULL: none
  double rel_tol, abs_tol; // of its integrator; abs_tol: times the nominal value of a state
  double max_step;         // 0: no limit
  long max_steps;
  int max_events;
  bool refined;     // more accurately than asked for, as a check
  int solver;       // option 'solver' of simulate_options.def
  int experiment;   // its number in the problem file, from 0
  const char *name; // of the experiment
} SimulatorCall;

typedef struct SimulatorAnswer {
  Outcome outcome;
  int rows;           // times that were reached
  double *values;     // [row][variable]
  double *slope_part; // by slope: the part that was taken; 0: none
  double *slopes;     // [row][variable][slope], NULL: there are none
  StepCount work;
  long events;
  double t_end;        // how far it came, as time in the simulator
  char solver[48];     // "rk8", "co-simulation", the name of the program
  char slopes_by[120]; // how slopes were made, or why there are none; "" when none were wanted
  char message[700];   // sentences when it did not reach the end
  char log[2000];      // last lines that the simulator wrote
} SimulatorAnswer;

// Room for the numbers of the answer to a call, with or without slopes.
SimulatorAnswer *simulator_answer_new(Arena *a, const SimulatorCall *call);
// Ends a run: the outcome and a sentence. Returns false.
bool answer_end(SimulatorAnswer *answer, Outcome outcome, double t, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
