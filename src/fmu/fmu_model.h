// What an FMU offers as a closed simulator: which of its variables are parameters, inputs and recorded variables. The host
// program and its workers make the same list of the same description.
#pragma once
#include "closed/closed_description.h"
#include "fmu/description.h"
#include "fmu/instance.h"

typedef struct FmuModel {
  const FmuDescription *fmu;
  FmuInterface interface;
  ClosedDescription closed;
  int *parameter, *input, *variable; // by those of the closed description: the variable of the FMU
} FmuModel;

// Real, Integer, Boolean and enumeration parameters, texts, and start values x.start of variables that may be set before the
// initialisation. Structural parameters and constants keep their values.
FmuModel *fmu_model_new(Arena *a, const FmuDescription *d, FmuInterface interface);
