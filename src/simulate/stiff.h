// CVODES behind the stepper contract: BDF with Newton iteration for stiff systems, Adams for smooth
// ones. Neither needs jacobian_sens; BDF without ode->jacobian takes difference quotients. lanes
// must be 1.
#pragma once
#include "simulate/stepper.h"

extern const StepperRow STEPPER_BDF;   // "bdf": exact Jacobian, dense or KLU by size and pattern
extern const StepperRow STEPPER_ADAMS; // "adams": fixed-point iteration, no Jacobian
