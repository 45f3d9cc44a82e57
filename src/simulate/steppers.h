// The table of integrators.
#pragma once
#include "simulate/stepper.h"

extern const StepperRow *const STEPPERS[];
extern const int STEPPER_COUNT;
const StepperRow *stepper_find(const char *name); // NULL when unknown
