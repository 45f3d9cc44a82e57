// The part of the interface FMI 2.0 (fmi-standard.org, sections 2.1, 3.2 and 4.2) that entrain calls, and that its test FMUs
// offer. Names and types are those of the standard; its functions are the rows of fmi2.def.
#pragma once
#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;

enum { fmi2False, fmi2True };

typedef enum fmi2Status {
  fmi2OK,
  fmi2Warning,
  fmi2Discard,
  fmi2Error,
  fmi2Fatal,
  fmi2Pending
} fmi2Status;

typedef enum fmi2Type { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;

typedef enum fmi2StatusKind {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

typedef struct fmi2EventInfo {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

typedef struct fmi2CallbackFunctions {
  void (*logger)(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                 fmi2String category, fmi2String message, ...); // message as for printf
  void *(*allocateMemory)(size_t count, size_t size);           // zeroed
  void (*freeMemory)(void *memory);
  void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct Fmi2Functions { // of a loaded binary; those that it need not have may be NULL
#define FMI_FUNCTION(need, type, name, arguments) type(*name) arguments;
#include "fmu/fmi2.def"
#undef FMI_FUNCTION
} Fmi2Functions;
