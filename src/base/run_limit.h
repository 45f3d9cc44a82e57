// Limits of one run of a study: seconds, and memory in arenas of its thread. A run that reaches one ends as when it is
// stopped, and its end is an outcome: what comes after it goes on.
#pragma once
#include <stddef.h>

#include "base/patience.h"

typedef struct RunLimit {
  Patience patience;
  bool on;          // there is a limit
  double bytes;     // 0: no limit
  ptrdiff_t before; // bytes in arenas of this thread when it began
} RunLimit;

void run_limit_begin(RunLimit *l, double seconds,
                     double bytes); // 0: no limit; keeps the pointer until run_limit_end
// Whether a limit was reached, and not only patience around it.
bool run_limit_end(RunLimit *l);
