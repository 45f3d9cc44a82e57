// What a computation has cost: counts, which do not depend on the machine, and seconds.
#pragma once
#include "simulate/trajectory.h"

typedef struct WorkCount {
  long iterations;  // accepted steps of local searches
  long simulations; // of states alone, all experiments together
  long sensitivity_simulations;
  long
      in_turn; // simulations on the longest path: of work done in parallel, the share of one worker
  long rhs, steps, rejected; // of the integrator
  long restart_points;       // that were made
  long restarted;            // simulations that began at one
  double saved;              // time of the motion that these left out
  // Sensitivity simulations of a closed model, by how their slopes were made: by the equations of the sensitivities (differences of f),
  // by differences of whole runs.
  long slopes_by_equations, slopes_by_runs;
  long
      slopes_contradicted; // how often differences of whole runs contradicted those equations, which are then not used
  double seconds;
  long ended[OUTCOME_COUNT]; // simulations that failed, by how they ended
} WorkCount;

void work_count_add(WorkCount *to, const WorkCount *more);
// Corrects in_turn: what was added since it was `before` was done by so many workers.
void work_count_share(WorkCount *work, long before, int workers);
// Seconds that this takes, roughly: from how many numbers were integrated and compared with data (rows: of one simulation), so
// that decisions do not depend on the machine.
double work_count_length(const WorkCount *w, int states, double rows, int unknowns);
#define WORK_IS_LONG 0.1 // s, from which on what follows a search has a limit
// `all` without `part`.
WorkCount work_count_rest(const WorkCount *all, const WorkCount *part);
// With and without sensitivities.
static inline long work_count_simulations(const WorkCount *w) {
  return w->simulations + w->sensitivity_simulations;
}
