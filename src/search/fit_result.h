// What a fit finds, what it says on the way, and how it can end.
#pragma once
#include "local/local.h"
#include "problem/problem.h"
#include "residual/work_count.h"

// FIT_OUTCOME(name, word, sentence)
#define FIT_OUTCOMES                                                                               \
  FIT_OUTCOME(CONVERGED, "converged", "the search converged")                                      \
  FIT_OUTCOME(UNCERTAIN, "uncertain",                                                              \
              "the search converged, but nothing makes sure that no other optimum fits better")    \
  FIT_OUTCOME(NOT_CONVERGED, "not-converged", "the search ended before it converged")              \
  FIT_OUTCOME(STOPPED, "stopped", "stopped by the user; this is the best point so far")            \
  FIT_OUTCOME(BUDGET, "budget", "the budget is used up; this is the best point so far")            \
  FIT_OUTCOME(NO_START, "no-start", "the model could not be simulated at any start")

typedef enum FitOutcome {
#define FIT_OUTCOME(name, word, sentence) FIT_##name,
  FIT_OUTCOMES
#undef FIT_OUTCOME
      FIT_OUTCOME_COUNT
} FitOutcome;

const char *fit_outcome_word(FitOutcome o);
const char *fit_outcome_sentence(FitOutcome o);

typedef struct FitPathPoint { // a stage of the homotopy
  double lambda, objective;   // of the coupled model
  double *x;                  // unknowns, in the order of problem->unknowns
  int iterations;
} FitPathPoint;

typedef struct FitStage { // a part of the portfolio
  const char *name; // "weak form", "homotopy", "growing horizon", "local search", "restart 3", ...
  const char *message; // a sentence: what came out
  double objective;    // of the free model, HUGE_VAL when it has none
  long simulations;    // with and without sensitivities
  bool certain;
} FitStage;

typedef struct FitGain { // of the homotopy
  int measured, state;
  double gain;
} FitGain;

// Of a result whose motion is too sensitive for one simulation over the whole time: where its pieces begin.
typedef struct FitPieces {
  int *count;     // by experiment
  double **times; // [experiment][piece]
  // [experiment][piece*nx + i], so that each piece ends where the next begins; those of piece 0 follow from the parameters
  double **states;
  double gap; // the largest that is left, relative to the range of its state
} FitPieces;

typedef struct FitResult {
  Arena *arena; // owns everything
  const Problem *problem;
  FitOutcome outcome;
  char message[600]; // sentences
  LocalEnd end;      // of the last local search
  double *x;         // unknowns in the order of problem->unknowns
  double *start;
  double objective; // V of the free model, priors included
  // The same at the start: HUGE_VAL when it cannot be simulated, NaN until it has been, see fit_evaluate_start.
  double objective_start;
  double
      floor; // the objective that noise alone explains, from differences of the data; NaN: unknown
  bool certain;   // certificate
  char why[600];  // why the result is believed, or not
  const char *by; // the part of the portfolio that found it
  double *sigma;  // by channel of all experiments: what residuals were divided by (1 when unknown)
  WorkCount work;
  ARRAY(FitPathPoint) path;
  ARRAY(FitStage) stages;
  ARRAY(FitGain) gains;
  FitPieces *pieces; // NULL: one simulation at x gives the result
  char solver[48];   // of the last simulation
  long solver_steps, solver_rejected;
} FitResult;

typedef struct FitProgress { // at every accepted step and between simulations
  const char *stage;
  double lambda; // of the feedback, 0: the free model
  int iteration;
  double objective; // of what is being minimised, HUGE_VAL before the first step of a stage
  const double *x;  // in the order of problem->unknowns
  const WorkCount *work;
} FitProgress;

// Return false to stop: the fit then ends with the best point so far, and does not ask again.
typedef bool FitListener(void *data, const FitProgress *p);

void fit_free(FitResult *r);
// V with what it leaves out when channels are weighted by their own residuals: without the logarithms of the sigmas such
// objectives cannot be compared.
double fit_comparable(const FitResult *r);
// When a channel is fitted down to the errors of simulations, its sigma means nothing: it counts as at least this.
double fit_least_sigma(const Problem *p, const Channel *c);
// Pieces of all experiments; 0 for NULL.
int fit_piece_count(const Problem *p, const FitPieces *pieces);
