// The functions of an FMU, FMI 2.0 and 3.0 behind one set of calls. Runs in worker processes (and in tests and benchmarks): an FMU
// may do anything to the process that it is in.
//
// Variables are numbers in FmuDescription.variables. Numbers are doubles whatever the type of the variable: Integer,
// Boolean (0, 1) and enumerations as well. FMI 2 warnings count as FMU_OK.
#pragma once
#include "fmu/description.h"

typedef enum FmuStatus {
  FMU_OK,
  FMU_DISCARD, // the step or value was refused; the instance can go on or be ended
  FMU_ERROR,   // the instance can only be freed
  FMU_FATAL,   // not even that
} FmuStatus;

typedef enum FmuInterface { FMU_ME, FMU_CS } FmuInterface;

typedef struct FmuLibrary FmuLibrary;   // the loaded binary of one interface
typedef struct FmuInstance FmuInstance; // a living model
typedef struct FmuGroup FmuGroup; // variables that are read or set together, sorted by type once

// folder: the unpacked archive, absolute. NULL and err with the text of dlopen or the names of the functions that are missing.
// RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND (without DEEPBIND under the address sanitizer).
FmuLibrary *fmu_library_open(Arena *a, const FmuDescription *d, const char *folder,
                             FmuInterface interface, Err *err);
void fmu_library_close(FmuLibrary *l); // NULL is allowed
const FmuDescription *fmu_library_description(const FmuLibrary *l);

// NULL and err with the last lines of its log. Early return, intermediate update and event mode of co-simulation are off.
FmuInstance *fmu_instance_new(FmuLibrary *l, const char *name, Err *err);
// Terminates (where the standard allows it) and frees, in any state; after FMU_FATAL nothing is called.
void fmu_instance_free(FmuInstance *i);
// What it logged (its last lines, at most 2000 bytes, control characters as visible text), "": nothing.
const char *fmu_instance_log(const FmuInstance *i);
FmuStatus fmu_instance_status(const FmuInstance *i); // the worst so far
// The function that returned it first, such as "fmi2DoStep"; "": none.
const char *fmu_instance_failed(const FmuInstance *i);

// All of one FMU; types may be mixed, but not String, Binary or Clock: fmu_set and fmu_get return FMU_ERROR then, and the log
// names the variable. A group has scratch memory: it serves one thread at a time.
FmuGroup *fmu_group_new(Arena *a, const FmuLibrary *l, const int *variables, int count);
FmuStatus fmu_set(FmuInstance *i, const FmuGroup *g, const double *values);
FmuStatus fmu_get(FmuInstance *i, const FmuGroup *g, double *values);
FmuStatus fmu_set_text(FmuInstance *i, int variable, const char *text);

// First of all: some FMUs (20-sim) forget here what was set before. tolerance 0: not given; stop NaN: not given.
FmuStatus fmu_set_experiment(FmuInstance *i, double start, double stop, double tolerance);
FmuStatus fmu_enter_initialization(FmuInstance *i);
// ME: then the instance is in event mode; CS: in step mode.
FmuStatus fmu_exit_initialization(FmuInstance *i);

// ---------------------------------------------------------------- co-simulation
// *reached: time that the FMU reached; *ended: it ended the simulation itself (terminateSimulation, or FMI 2 Discard with
// fmi2Terminated), which is FMU_OK.
FmuStatus fmu_step(FmuInstance *i, double t, double h, double *reached, bool *ended);

// ---------------------------------------------------------------- model exchange
typedef struct FmuDiscrete {
  bool again; // newDiscreteStates needed
  bool terminate;
  bool nominals_changed, states_changed;
  bool has_next;
  double next; // time of the next time event
} FmuDiscrete;

int fmu_state_count(FmuInstance *i);     // FMI 3 asks the instance; -1: it failed
int fmu_indicator_count(FmuInstance *i); // the same
FmuStatus fmu_new_discrete_states(FmuInstance *i, FmuDiscrete *out); // in event mode; once
FmuStatus fmu_enter_event_mode(FmuInstance *i);
FmuStatus fmu_enter_continuous_mode(FmuInstance *i);
FmuStatus fmu_set_time(FmuInstance *i, double t);
FmuStatus fmu_set_states(FmuInstance *i, const double *x, int count);
FmuStatus fmu_get_states(FmuInstance *i, double *x, int count);
FmuStatus fmu_get_derivatives(FmuInstance *i, double *dx, int count);
FmuStatus fmu_get_indicators(FmuInstance *i, double *z, int count);
FmuStatus fmu_get_nominals(FmuInstance *i, double *nominal, int count);
// Does nothing where the FMU does not need it.
FmuStatus fmu_completed_step(FmuInstance *i, bool *enter_event_mode, bool *terminate);
// Directional derivative of unknowns by knowns (variables, Real scalars or elements) along seed; only where the interface offers it.
FmuStatus fmu_directional(FmuInstance *i, const int *unknowns, int unknown_count, const int *knowns,
                          int known_count, const double *seed, double *sensitivity);
