// IDAS behind the stepper contract: variable-order BDF on ode->dae. lanes must be 1; nothing else of the ode is used. The
// rows differ in what the dae is (implicit.h), and in name.
#pragma once
#include "simulate/stepper.h"

extern const StepperRow STEPPER_IDA_GGL;    // "ida-ggl": the motion with its invariants, index 2
extern const StepperRow STEPPER_IDA_INDEX3; // "ida-index3": the equations as typed
