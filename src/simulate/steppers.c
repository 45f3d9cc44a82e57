#include "simulate/steppers.h"

#include <string.h>

#include "simulate/direct.h"
#include "simulate/fixed.h"
#include "simulate/rk.h"
#include "simulate/rosenbrock.h"
#include "simulate/stiff.h"

const StepperRow *const STEPPERS[] = {
    &STEPPER_RK8,        &STEPPER_RK5, &STEPPER_ROSENBROCK,          &STEPPER_BDF,
    &STEPPER_ADAMS,      &STEPPER_RK4, &STEPPER_SEMI_IMPLICIT_EULER, &STEPPER_IDA_GGL,
    &STEPPER_IDA_INDEX3,
};
const int STEPPER_COUNT = sizeof STEPPERS / sizeof *STEPPERS;

const StepperRow *stepper_find(const char *name) {
  for (int i = 0; i < STEPPER_COUNT; i++)
    if (strcmp(STEPPERS[i]->name, name) == 0) return STEPPERS[i];
  return NULL;
}
