// What a computation has cost: counts, which do not depend on the machine, and seconds.
#pragma once

typedef struct WorkCount {
  long iterations;  // accepted steps of local searches
  long simulations; // of states alone, all experiments together
  long sensitivity_simulations;
  long
      in_turn; // simulations on the longest path: of work done in parallel, the share of one worker
  long rhs, steps, rejected; // of the integrator
  double seconds;
} WorkCount;

void work_count_add(WorkCount *to, const WorkCount *more);
// Corrects in_turn: what was added since it was `before` was done by so many workers.
void work_count_share(WorkCount *work, long before, int workers);
// With and without sensitivities.
static inline long work_count_simulations(const WorkCount *w) {
  return w->simulations + w->sensitivity_simulations;
}
