// A study with known truth: simulate at the truth, add noise, identify, see how good estimates and intervals are.
#pragma once
#include "problem/problem.h"
#include "search/fit_result.h"

typedef struct RecoverParameter {
  double truth, mean, bias, spread; // over the trials that succeeded; spread: standard deviation
  double predicted;                 // median standard error that the fits gave
  double coverage;                  // share of the 95 % intervals that hold the truth
  double bias_t;                    // bias in units of spread/sqrt(trials)
} RecoverParameter;                 // NaN where nothing can be said

typedef struct Recover {
  Arena *arena;
  const Problem *problem;
  int trials, done;                // done < trials when it was stopped
  int succeeded;                   // objective at or below that of a search from the truth
  bool confirmed;                  // searches from elsewhere confirm each result
  int fits, false_fits;            // that fit the noise, and those of them at a wrong optimum
  bool can_confirm;                // the method does that if option confirm is on
  int certain, false_certain;      // the verdict, and wrong optima that have it
  int verdicts[FIT_VERDICT_COUNT]; // how many have each; all 0 if results were not confirmed
  RecoverParameter *parameters;
  double *estimates;  // [trial][unknown]
  double *std_errors; // [trial][unknown]
  // [trial]: V, with the logarithms of the sigmas that were estimated, without which it would always be half the number of
  // samples
  double *objectives;
  double *objectives_truth; // [trial]: of a local search from the truth
  bool *ok;                 // [trial]
  bool *fit;                // [trial]: it fits the noise
  FitOutcome *outcome;      // [trial]
  FitVerdict *verdict;      // [trial]; means nothing if results were not confirmed
  long *work;               // [trial]: simulations with and without sensitivities
  double seconds;
  // Noise that was made, rounding included, over the sigma of the channel where they differ most; NaN: no sigma is given, or
  // no noise is made.
  double noise_over_sigma;
  const char *noisy_channel; // its name
} Recover;

// Called after each trial, and now and then during one (`done` has not changed then); false stops: the trial that is not
// finished does not count.
typedef bool RecoverListener(void *data, const Recover *r);
// truth: unknowns, NULL: what the model file says they are. random_starts: each trial begins at a random point of the
// bounds (log-uniform where they span decades) instead of the start values. Number of trials, noise and seed are options of
// the problem. Results of trial i do not depend on the number of trials. NULL and err when there is nothing to study.
Recover *recover_run(const Problem *p, const double *truth, bool random_starts,
                     RecoverListener *listener, void *data, Err *err);
void recover_free(Recover *r);
