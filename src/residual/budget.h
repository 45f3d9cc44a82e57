// What a search has spent and may still spend. Evaluations count into the budget of their caller and ask it whether they may
// go on; nothing else limits them.
#pragma once
#include <stdbool.h>

#include "residual/work_count.h"

typedef struct Budget {
  WorkCount used;
  long max_simulations; // with and without sensitivities
  bool exhausted;       // a search wanted more than max_simulations allow: it is over
  long steps_seen;      // of integrators, see budget_allows_step
  // Asked between simulations and from time to time during one; false ends everything. NULL: always true.
  bool (*goes_on)(void *data);
  void *data;
} Budget;

long budget_left(const Budget *b); // simulations
// How many of `evaluations` fit into the budget, when each takes `experiments` simulations.
int budget_affords(const Budget *b, int evaluations, int experiments);
bool budget_owner_goes_on(const Budget *b); // asks goes_on; NULL is allowed: true
// Whether another evaluation may begin. Asks goes_on. NULL is allowed: true.
bool budget_allows_more(const Budget *b);
// For every step of an integrator: asks goes_on after many of them. false: end the simulation. NULL is allowed: true.
bool budget_allows_step(Budget *b);
