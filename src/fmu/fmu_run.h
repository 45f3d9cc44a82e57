// Simulations of an FMU, in the process that it is loaded in: a worker.
#pragma once
#include "closed/call.h"
#include "fmu/fmu_model.h"

typedef struct FmuSpec { // what a worker is told when it starts
  const char *name;      // of the archive, for messages
  const char *folder;    // unpacked, absolute
  FmuInterface interface;
  double step;      // of communication (co-simulation); 0: chosen
  double tolerance; // that co-simulation is told; 0: rel_tol of the call
} FmuSpec;

typedef struct FmuRunner {
  Arena *arena;
  FmuSpec spec;
  const FmuModel *model;
  FmuLibrary *library;
  struct FmuRunner *
      exchange; // of co-simulation: the same FMU by model exchange, made when it is first wanted; or NULL
  const FmuInterfaceInfo *info;
  Arena *scratch; // of one run
} FmuRunner;

// Reads the description in the folder and loads the binary. NULL and err if that fails.
FmuRunner *fmu_runner_open(const FmuSpec *spec, Err *err);
void fmu_runner_close(FmuRunner *r); // NULL is allowed
void fmu_runner_run(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer);

// ---------------------------------------------------------------- shared by the two interfaces

void fmu_co_simulate(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer);
void fmu_exchange(FmuRunner *r, const SimulatorCall *call, SimulatorAnswer *answer);

typedef struct FmuChange { // one parameter that differs from the call
  int parameter;
  double value;
} FmuChange;

// A new instance with the parameters of the call and inputs at its start, initialised. stop: absolute time. change: NULL, or another value
// of one parameter. NULL: answer says why.
FmuInstance *fmu_begin(FmuRunner *r, const SimulatorCall *call, const FmuChange *change,
                       double stop, double tolerance, SimulatorAnswer *answer);
// Ends the run: what the instance refused, with its log.
bool fmu_end_refused(FmuRunner *r, const FmuInstance *i, double t, SimulatorAnswer *answer);
FmuGroup *fmu_recorded(FmuRunner *r, const SimulatorCall *call);

typedef struct FmuInputs { // those that have data: continuous ones first, then discrete ones
  const Input **at;
  FmuGroup *all, *continuous;
  int *piece;
  double *value;
  int count, continuous_count;
} FmuInputs;

FmuInputs *fmu_inputs_new(FmuRunner *r, const SimulatorCall *call);
void fmu_inputs_enter(FmuInputs *in, double t); // pieces that begin at or before t
// Where all may be set: initialisation, event mode, co-simulation.
FmuStatus fmu_inputs_set(FmuInstance *i, FmuInputs *in, double t);
// Between events of model exchange, where discrete inputs keep their values.
FmuStatus fmu_inputs_follow(FmuInstance *i, FmuInputs *in, double t);
double fmu_inputs_break(const FmuInputs *in, double t, double tolerance); // the first after t
bool fmu_inputs_jump(const FmuInputs *in, double t); // whether one of them jumps at t
