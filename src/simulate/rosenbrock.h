// Rosenbrock method for small stiff systems: exact Jacobian, no iteration, one factorisation an
// attempt. One lane.
//
// Sensitivities are the derivative of the method itself: for the same steps they are exact to
// rounding.
#pragma once
#include "simulate/stepper.h"

extern const StepperRow STEPPER_ROSENBROCK; // Rodas5P, order 5, dense output of order 4
