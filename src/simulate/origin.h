// Where the times of a simulation count from.
#pragma once
#include <stdbool.h>

// Times from start to stop are to be counted from here: t - origin is exact for all of them, so that nothing is lost, and
// origin + (t - origin) is t again. It is start if all of them are far from 0 (seconds since 1970), where neighbouring
// numbers are too far apart for the steps of an integrator. Otherwise it is 0: there is nothing to gain.
double time_origin(double start, double stop);

// What is to be added to a message about two times that should differ: a sentence if they are so large that numbers
// cannot tell them apart, else nothing.
typedef struct TimesTooClose {
  char at[160];
} TimesTooClose;

TimesTooClose times_too_close(double t, double before);
