// What a search has spent and may still spend. Evaluations count into the budget of their caller and ask it whether they may
// begin. Time and listeners are those of base/patience.h.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "residual/work_count.h"

enum { FAILED_MESSAGE = 1304 }; // bytes

typedef struct FailedSimulation { // the first one of its kind
  double *x;                      // unknowns
  char message[FAILED_MESSAGE];   // and behind it the last lines that a closed simulator wrote
  bool seen;
} FailedSimulation;

FailedSimulation *failed_simulations_new(Arena *a, int unknowns); // one for each Outcome
// Keeps it, unless one of its kind has been seen.
void failed_simulation_note(FailedSimulation *all, Outcome how, const double *x, int unknowns,
                            const char *message);
// Such a message as one sentence without its full stop: the lines of the simulator in quotes.
const char *failure_sentence(Arena *a, const char *message);
// Jobs of a worker pool hold no pointers: the same as bytes.
size_t failed_simulations_size(int unknowns);
void failed_simulations_pack(const FailedSimulation *from, int unknowns, void *to);
void failed_simulations_unpack(const void *from, int unknowns, FailedSimulation *into);

typedef struct StuckSum { // of all simulations
  Stuck at[STUCK_MOST];
  int count;
} StuckSum;

typedef struct Budget {
  WorkCount used;
  StuckSum *stuck;          // where motions stuck; NULL: nobody wants it
  long max_simulations;     // with and without sensitivities
  bool exhausted;           // a search wanted more than max_simulations allow: it is over
  FailedSimulation *failed; // by how it ended, room for OUTCOME_COUNT; NULL: nobody wants them
} Budget;

// What went wrong in runs for slopes at x, besides the simulation itself.
void budget_count_failed_runs(Budget *b, const ClosedRuns *runs, const double *x, int unknowns);
long budget_left(const Budget *b); // simulations
// How many of `evaluations` fit into the budget, when each takes `experiments` simulations.
int budget_affords(const Budget *b, int evaluations, int experiments);
// Whether something that takes so many simulations may begin, and patience lasts; where too few are left the budget is exhausted:
// what could not be completed is not begun. NULL: without limit.
bool budget_allows(Budget *b, long simulations);
