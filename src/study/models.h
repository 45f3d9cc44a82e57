// Several models of the same data: criteria of information, errors on data that were not fitted, likelihood ratios.
#pragma once
#include "base/array.h"
#include "search/fit_result.h"
#include "study/likelihood.h"
#include "study/same_data.h"

typedef struct ModelRow {
  const char *label; // the path of the problem; like no other
  const Problem *problem;
  bool done;          // its fit has run; what follows is not known before
  bool usable;        // as a fit with the exit status 0, see assessed_fit_is_usable
  FitOutcome outcome; // of the fit to all data
  FitVerdict verdict;
  const char *message; // sentences
  int unknowns;        // that are estimated
  int nuisance;        // of them: start values, and offsets, gains and delays of sensors
  int parameters;      // unknowns less equality constraints, and sigmas that were estimated
  int rank;            // of the sensitivities; -1: unknown
  double objective; // with the logarithms of sigmas that were estimated, as everywhere; NaN: none
  Likelihood likelihood;
  double aic, aicc, bic;     // NaN: unknown
  double delta, weight;      // AIC above the least of all; Akaike weight
  double effective;          // samples that would tell as much if the residuals were independent
  bool correlated;           // the residuals of some channel are not white
  double quasi, quasi_delta; // QAIC; NaN unless the best fit has correlated residuals
  bool *at_bound;            // by unknown
  double *x;                 // unknowns; NULL: there is no result
  // By variable, of free-running simulations, in the unit of the data; NaN: unknown. cross: over all blocks left out.
  double *rmse, *validation, *cross;
  const char *validation_failed, *cross_failed; // a sentence; NULL: it did not
  int folds_done;
  double seconds; // with the folds
} ModelRow;

typedef struct ModelTest { // a likelihood ratio test of declared nesting
  int small, large;        // rows
  bool known;              // both have a likelihood
  bool failed;             // the larger one fits worse: its search failed
  double ratio;            // 2 (log L of the larger - log L of the smaller)
  int freedom;
  double p;         // by chi-square; NaN if failed or unknown, or if log L is not the greatest
  double quasi_p;   // of the ratio by the inflation; NaN: residuals of the larger are white
  int at_bound;     // how many added unknowns have their value of the smaller model at a bound
  double bounded_p; // one of them: by the mixture of two chi-squares; NaN: not needed
  const char **remarks;
  int remark_count;
} ModelTest;

typedef struct ModelsNesting {
  int small, large; // numbers of problems
} ModelsNesting;

typedef struct ModelsRequest {
  const Problem *const *problems;
  int count;
  const ModelsNesting *nested;
  int nested_count;
  int folds; // 0: no cross-validation
} ModelsRequest;

typedef struct Models {
  Arena *arena;
  ModelsRequest request;
  ModelRow *rows; // in the order of the problems
  int count;
  const char **variables, **units; // columns that are fitted or validate, each once
  int variable_count;
  bool has_validation;
  double
      inflation; // samples by effective samples of the fit with the greatest likelihood; 1: its residuals are white
  int best; // the row with the greatest likelihood, -1: none
  ModelTest *tests;
  int test_count;
  Sha256 data;
  bool stopped;
  double seconds;
} Models;

typedef struct ModelsProgress {
  const Models *models;
  int row, fold;          // fold -1: the fit to all data
  const FitProgress *fit; // NULL between fits
} ModelsProgress;
// Return false to stop: finished rows are kept.
typedef bool ModelsListener(void *data, const ModelsProgress *p);
