// An FMU as a closed model: unpacked into a session, simulated by workers.
#pragma once
#include "closed/closed_simulator.h"
#include "fmu/description.h"

typedef enum FmuWish { FMU_ANY_INTERFACE, FMU_WISH_ME, FMU_WISH_CS } FmuWish;

typedef struct FmuRequest {
  const char *path;
  FmuWish interface;      // any: model exchange where it is offered
  double step, tolerance; // of co-simulation; 0: chosen
  double timeout;         // s of a run; 0: none
  double memory;          // bytes; 0: half of what the machine has
} FmuRequest;

// Starts a worker, so that an FMU that cannot be loaded is an error here. NULL and err.
ClosedSimulator *fmu_closed_open(const FmuRequest *q, Err *err);
