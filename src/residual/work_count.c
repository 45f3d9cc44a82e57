#include "residual/work_count.h"

void work_count_add(WorkCount *to, const WorkCount *more) {
  to->iterations += more->iterations;
  to->simulations += more->simulations;
  to->sensitivity_simulations += more->sensitivity_simulations;
  to->in_turn += more->in_turn;
  to->rhs += more->rhs;
  to->steps += more->steps;
  to->rejected += more->rejected;
  to->seconds += more->seconds;
}

void work_count_share(WorkCount *work, long before, int workers) {
  work->in_turn = before + (work->in_turn - before + workers - 1) / workers;
}
