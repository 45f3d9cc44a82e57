// What one thread needs to simulate a closed model: which parameters, variables and columns of a System are those of the simulator.
#pragma once
#include "closed/closed_simulator.h"
#include "closed/tie_build.h"

struct ClosedWork {
  ClosedSimulator *simulator;
  Arena *arena;   // as long as the work
  Arena *scratch; // of one run
  SystemWork *work;
  const SimulateOptions *options;
  int *parameter_of; // by parameter of the model: that of the simulator, -1: none
  int *variables;    // that are recorded: numbers in the description
  int *state;        // by these: the state of the model
  int variable_count;
  int *columns; // of the sensitivities: those whose parameters the simulator has
  int *slopes;  // by these: the parameter of the simulator
  int slope_count;
  TieBuild *tie; // NULL: the model is not coupled
  int *pieces;   // of the inputs
  const SimulateRequest *request;
  double *y, *row;
};

// What a call says whatever its parameters; those are p, by parameter of the model.
SimulatorCall *closed_call(ClosedWork *w, const SimulateRequest *request, const double *p);
// The call wants slopes, with the steps of the request.
void closed_want_slopes(ClosedWork *w, const SimulateRequest *request, SimulatorCall *call);
// By parameter of the model: its size and bounds in the model, and no step.
SlopeStep closed_default_step(const ClosedWork *w, int parameter, double value);

// Functions of ClosedModel.
ClosedWork *closed_work_new(ClosedModel *self, Arena *a, SystemWork *work,
                            const SimulateOptions *options);
void closed_work_done(ClosedWork *w);
