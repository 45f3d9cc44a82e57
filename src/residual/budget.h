// What a search has spent and may still spend. Evaluations count into the budget of their caller and ask it whether they may
// begin. Time and listeners are those of base/patience.h.
#pragma once
#include <stdbool.h>

#include "residual/work_count.h"

typedef struct FailedSimulation { // the first one of its kind
  double *x;                      // unknowns
  char message[300];
  bool seen;
} FailedSimulation;

typedef struct Budget {
  WorkCount used;
  long max_simulations;     // with and without sensitivities
  bool exhausted;           // a search wanted more than max_simulations allow: it is over
  FailedSimulation *failed; // by how it ended, room for OUTCOME_COUNT; NULL: nobody wants them
} Budget;

long budget_left(const Budget *b); // simulations
// How many of `evaluations` fit into the budget, when each takes `experiments` simulations.
int budget_affords(const Budget *b, int evaluations, int experiments);
// Whether another evaluation may begin: simulations are left and patience lasts. NULL: without limit.
bool budget_allows_more(const Budget *b);
