// What the files behind instance.h share: the loaded binary, a living instance, groups of variables, and the table of what
// FMI 2 and FMI 3 do differently. Statuses are ints as in both standards (fmi3Status).
#pragma once
#include "fmu/description.h"
#include "fmu/fmi2.h"
#include "fmu/fmi3.h"

enum { INSTANCE_LOG_MOST = 2000 }; // bytes

typedef struct FmuLibrary FmuLibrary;
typedef struct FmuInstance FmuInstance;
typedef struct FmuGroup FmuGroup;
struct FmuDiscrete;

typedef struct FmuPart { // the variables of one wire type in a group
  FmuWire wire;
  int reference_count, value_count; // arrays are whole: more values than references
  unsigned *references;             // each of them once
  int count;                        // of the variables
  int *variable;
  int *place; // of each variable among the values of the caller
  int *slot;  // and among the values of the part
  bool
      whole; // every value of the part belongs to a variable: none must be read before others are set
  void *buffer; // scratch for the values in their wire type
} FmuPart;

struct FmuGroup {
  FmuPart *parts;
  int part_count;
  int unfit; // a String, Binary or Clock variable, which no group can have; -1: there is none
};

typedef struct FmuCalls { // behind the functions of instance.h of these names
  void *(*instantiate)(FmuInstance *i, const char *name);
  void (*free_instance)(FmuInstance *i);
  int (*terminate)(FmuInstance *i);
  int (*set)(FmuInstance *i, const FmuPart *part, const double *values);
  int (*get)(FmuInstance *i, const FmuPart *part, double *values);
  int (*set_text)(FmuInstance *i, const FmuVariable *v, const char *text);
  int (*set_experiment)(FmuInstance *i); // NULL: entering initialisation tells it
  int (*enter_initialization)(FmuInstance *i);
  int (*exit_initialization)(FmuInstance *i);
  int (*step)(FmuInstance *i, double t, double h, double *reached, bool *ended);
  int (*state_count)(FmuInstance *i, int *count);
  int (*indicator_count)(FmuInstance *i, int *count);
  int (*new_discrete_states)(FmuInstance *i, struct FmuDiscrete *out);
  int (*enter_event_mode)(FmuInstance *i);
  int (*enter_continuous_mode)(FmuInstance *i);
  int (*set_time)(FmuInstance *i, double t);
  int (*set_states)(FmuInstance *i, const double *x, size_t nx);
  int (*get_states)(FmuInstance *i, double *x, size_t nx);
  int (*get_derivatives)(FmuInstance *i, double *dx, size_t nx);
  int (*get_indicators)(FmuInstance *i, double *z, size_t nz);
  int (*get_nominals)(FmuInstance *i, double *nominal, size_t nx);
  int (*completed_step)(FmuInstance *i, bool *enter_event_mode, bool *terminate);
  // The seed is in the buffer of the known part, the answer in that of the unknown one.
  int (*directional)(FmuInstance *i, const FmuPart *unknown, const FmuPart *known);
} FmuCalls;

extern const FmuCalls FMI2_CALLS, FMI3_CALLS;

struct FmuLibrary {
  const FmuDescription *description;
  const FmuInterfaceInfo *info;
  bool co_simulation;
  void *handle;          // of dlopen
  const char *resources; // FMI 2: URI, FMI 3: path; NULL: there are none
  const FmuCalls *calls;
  Fmi2Functions fmi2; // one of the two is filled
  Fmi3Functions fmi3;
};

typedef struct FmuDirection { // the variables of the last call of fmu_directional
  Arena *arena;
  int *unknowns, *knowns;
  int unknown_count, known_count;
  const FmuGroup *unknown, *known;
} FmuDirection;

struct FmuInstance {
  Arena *arena;
  FmuLibrary *library;
  void *component;               // of the FMU
  bool initialized;              // it must be terminated
  double start, stop, tolerance; // of the experiment; NaN, 0: not told
  int status;                    // the worst so far
  const char *failed;            // the function that returned it first
  FmuDirection direction;
  fmi2CallbackFunctions callbacks; // FMI 2 keeps the pointer
  size_t log_length;
  char log[INSTANCE_LOG_MOST + 1];
};

// Records what a function of the FMU returned; a warning counts as OK, an unknown status as an error.
int instance_note(FmuInstance *i, const char *function, int status);
// Adds a line to the log and returns fmi3Error: for what entrain itself refuses.
int instance_refuse(FmuInstance *i, const char *function, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds a line to the log; the oldest lines go when there is no room.
void instance_log(FmuInstance *i, const char *line);
// false if the first value that is none of its type was refused.
bool instance_part_fits(FmuInstance *i, const FmuPart *part, const double *values);
