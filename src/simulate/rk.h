// Explicit Runge-Kutta methods with dense output, for systems that are not stiff. Any number of
// lanes.
#pragma once
#include "simulate/stepper.h"

extern const StepperRow STEPPER_RK8; // Dormand-Prince 8(5,3), dense output of order 7
extern const StepperRow STEPPER_RK5; // Dormand-Prince 5(4), dense output of order 4
