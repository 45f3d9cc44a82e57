// A function of the caller as a closed model. It runs in the caller's process, in whatever thread needs a simulation.
#pragma once
#include "closed/closed_simulator.h"

typedef struct FunctionCall FunctionCall;
struct FunctionCall {
  const double *parameters; // by parameter of the description
  double start;             // time at which the simulation begins
  const double *times;      // increasing; outputs are wanted at these
  int time_count;
  int experiment;
  void (*inputs)(const FunctionCall *call, double t, double *values); // of all inputs at time t
  bool (*goes_on)(const FunctionCall *call); // false: nobody waits for it any more
  double *outputs;                           // [time][variable]
  double *slopes;                            // [time][variable][parameter]; NULL: not wanted
  char message[400];                         // why it failed
  const SimulatorCall *call;
};

typedef struct ClosedFunction {
  bool (*simulate)(void *data, FunctionCall *call); // false: it failed
  void *data;
  bool concurrent; // may run in several threads at the same time
  bool has_slopes;
} ClosedFunction;

// Keeps a copy of f; the description must outlive the simulator, or live in the arena that it then owns.
ClosedSimulator *closed_function_new(const ClosedFunction *f, const ClosedDescription *d,
                                     const char *name, Arena *owned);
