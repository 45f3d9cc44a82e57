// Where the times of a simulation count from.
#pragma once

// These times (all finite) are to be counted from here: from start if the differences to it are exact, so that nothing is
// lost and origin + (t - origin) is t again, else from 0. They are exact if start is a round number, and wherever times are
// far from 0 (seconds since 1970): there neighbouring numbers are too far apart for the steps of an integrator, and what
// happens must not depend on that.
double time_origin(double start, const double *times, int count);

// What is to be added to a message about two times that should differ: a sentence if they are so large that numbers
// cannot tell them apart, else nothing.
typedef struct TimesTooClose {
  char at[160];
} TimesTooClose;

TimesTooClose times_too_close(double t, double before);
