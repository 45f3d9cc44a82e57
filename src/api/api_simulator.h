// Simulators of the caller as closed models.
#pragma once
#include "closed/closed_simulator.h"
#include "entrain.h"
#include "fmu/fmu_closed.h"

// How a closed simulator is made, so that another one of the same kind can be.
typedef struct ClosedMaker {
  FmuRequest fmu;            // path NULL: it is none
  EntrainSimulator function; // else
  const char *const *texts;  // values of String parameters, which overrides count through from 1
  int text_count;
} ClosedMaker;

bool simulator_is_complete(const EntrainSimulator *s, Err *err);
// A deep copy. of (may be NULL): its texts become those of the copy.
ClosedMaker *closed_maker_copy(Arena *a, const ClosedMaker *m, ClosedModel *of);
// NULL and err if it is not complete, or the FMU cannot be opened.
ClosedSimulator *closed_maker_open(const ClosedMaker *m, Err *err);
