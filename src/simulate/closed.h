// Models whose equations are not ours: an FMU, a program, a function of the caller. Their Model has what they can record as
// states (model_closed), and a ClosedModel simulates it in place of the integrators.
#pragma once
#include "model/system.h"
#include "simulate/simulate_options.h"
#include "simulate/trajectory.h"

// How differences of whole runs are made where a simulator has no slopes of its own.
typedef enum ClosedDifference { CLOSED_CENTRAL, CLOSED_FORWARD } ClosedDifference;

typedef struct SlopeStep { // by a parameter of the model
  double size;             // of the parameter, > 0
  double low, high;        // between which it may be moved; may be infinite
  double step;             // of differences of whole runs; 0: chosen by the plateau rule
  double part;             // of the size: step of differences of f; 0: the same
} SlopeStep;

typedef struct ClosedSlopes {
  ClosedDifference difference;
  bool whole_runs;        // even where the simulator has slopes of its own
  const SlopeStep *steps; // by parameter of the model
} ClosedSlopes;

// Slopes that a simulator makes itself, at one point.
typedef enum ClosedParts {
  CLOSED_PARTS_CHOSEN,
  CLOSED_PARTS_NONE,  // it cannot make any there
  CLOSED_PARTS_WRONG, // differences of whole runs contradict them
} ClosedParts;

typedef struct ClosedWork ClosedWork; // of one thread

typedef struct ClosedModel ClosedModel;
struct ClosedModel {
  const char *name; // of the file or program, for messages
  const char *kind; // "model-exchange FMU", "co-simulation FMU", "program", "function"
  // The slopes of its states can be computed: sensitivities by their equations, feedback.
  bool has_slopes_of_states;
  bool makes_slopes; // itself, where a call wants them
  // How it is simulated more accurately (SimulateRequest.refined), for messages: "with a quarter of the communication step"; NULL: it cannot be.
  const char *refined;
  // Keeps the pointers. Lives in the arena; work_done frees what does not.
  ClosedWork *(*work_new)(ClosedModel *self, Arena *a, SystemWork *work,
                          const SimulateOptions *options);
  void (*work_done)(ClosedWork *w);
  // As simulate_run.
  void (*run)(ClosedWork *w, const SimulateRequest *request, Trajectory *out);
  // Of the fit: steps of differences by the plateau rule at these parameters, for those steps that are 0.
  void (*choose_steps)(ClosedWork *w, const SimulateRequest *request, const int *parameters,
                       int count, SlopeStep *steps, ClosedRuns *runs);
  // Of one that makes slopes itself: the steps of its differences of f that are 0, and whether the slopes are right. *runs
  // counts.
  ClosedParts (*choose_parts)(ClosedWork *w, const SimulateRequest *request, SlopeStep *steps,
                              ClosedRuns *runs);
  void (*set_threads)(ClosedModel *self, int threads); // runs side by side; 0: one for each core
  void (*free)(ClosedModel *self);
};
