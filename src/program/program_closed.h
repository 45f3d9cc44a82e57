// A program as a closed model, simulated by workers.
#pragma once
#include "closed/closed_simulator.h"
#include "program/program.h"

// The description lists parameters, inputs and variables as the spec does; both must outlive the simulator. Checks what can be
// checked before a run. NULL and err.
ClosedSimulator *program_closed_open(const ProgramSpec *spec, const ClosedDescription *d,
                                     ProgramFault *fault, Err *err);
