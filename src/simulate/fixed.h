// Integrators with steps of given length, for comparison and for models that run in real time. Nothing controls their errors.
#pragma once
#include "simulate/stepper.h"

extern const StepperRow STEPPER_RK4, STEPPER_SEMI_IMPLICIT_EULER;
