#include "residual/work_count.h"

void work_count_add(WorkCount *to, const WorkCount *more) {
  to->iterations += more->iterations;
  to->simulations += more->simulations;
  to->sensitivity_simulations += more->sensitivity_simulations;
  to->in_turn += more->in_turn;
  to->rhs += more->rhs;
  to->steps += more->steps;
  to->rejected += more->rejected;
  to->restart_points += more->restart_points;
  to->restarted += more->restarted;
  to->saved += more->saved;
  to->slopes_by_equations += more->slopes_by_equations;
  to->slopes_by_runs += more->slopes_by_runs;
  to->slopes_contradicted += more->slopes_contradicted;
  to->seconds += more->seconds;
  for (int k = 0; k < OUTCOME_COUNT; k++) to->ended[k] += more->ended[k];
}

static const double NUMBERS_A_SECOND = 2e8;

double work_count_length(const WorkCount *w, int states, double rows, int unknowns) {
  double numbers = (double)w->rhs * states + (double)work_count_simulations(w) * rows;
  return numbers * (1 + unknowns) / NUMBERS_A_SECOND;
}

WorkCount work_count_rest(const WorkCount *all, const WorkCount *part) {
  WorkCount rest = {.iterations = all->iterations - part->iterations,
                    .simulations = all->simulations - part->simulations,
                    .sensitivity_simulations =
                        all->sensitivity_simulations - part->sensitivity_simulations,
                    .in_turn = all->in_turn - part->in_turn,
                    .rhs = all->rhs - part->rhs,
                    .steps = all->steps - part->steps,
                    .rejected = all->rejected - part->rejected,
                    .restart_points = all->restart_points - part->restart_points,
                    .restarted = all->restarted - part->restarted,
                    .saved = all->saved - part->saved,
                    .slopes_by_equations = all->slopes_by_equations - part->slopes_by_equations,
                    .slopes_by_runs = all->slopes_by_runs - part->slopes_by_runs,
                    .slopes_contradicted = all->slopes_contradicted - part->slopes_contradicted,
                    .seconds = all->seconds - part->seconds};
  for (int k = 0; k < OUTCOME_COUNT; k++) rest.ended[k] = all->ended[k] - part->ended[k];
  return rest;
}

void work_count_share(WorkCount *work, long before, int workers) {
  work->in_turn = before + (work->in_turn - before + workers - 1) / workers;
}
