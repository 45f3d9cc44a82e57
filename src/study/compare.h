// One problem by several methods, their work counted alike.
#pragma once
#include "base/array.h"
#include "search/fit.h"
#include "study/compare_published.h"
#include "study/compare_spec.h"
#include "study/compare_truth.h"

typedef struct ComparePoint { // a step of a search
  const char *stage;
  double lambda; // 0 without feedback
  int iteration;
  long evaluations, fair; // so far, as in CompareFigures
  double objective;       // of what is being minimised
  double free_objective;  // of the free model over the whole time; NaN: not computed, or it failed
  double best;            // the least of these so far; NaN before the first
  double seconds;
  double *x;
} ComparePoint;

typedef struct CompareRun {
  int seed;
  const double *start; // NULL: that of the problem
  FitOutcome outcome;  // FIT_STOPPED: by the listener
  bool fits;           // nothing but noise is left
  // See compare_truth_found; without a truth the best objective of all, within request.found.
  bool found;
  const char *message;
  CompareFigures figures; // objective: with the logarithms of sigmas that were estimated
  double *x;              // NULL: there is no result, the objective is infinite
  // With several threads everything came out bit by bit as with one; true when that was not tried.
  bool same;
  ARRAY(ComparePoint) trace;
} CompareRun;

typedef struct CompareRow {
  CompareSpec spec;    // its label is unique
  const char *refused; // a sentence: the method cannot do this problem; NULL: it can
  bool confirms; // its results were confirmed by searches from elsewhere, which are not counted
  CompareRun *runs;
  int runs_wanted;
  int run_count;           // that were done
  int found;               // of them
  bool same;               // all of them
  const CompareRun *shown; // the one whose objective is the median; NULL: none
  CompareFigures median, least, most;
} CompareRow;

typedef struct CompareRequest {
  const CompareSpec *methods;
  int count;
  bool has_truth;
  const double *truth; // NULL: what the model file says
  bool all_numbers;    // count in the error, also those that the data do not determine
  int seeds; // methods that draw random numbers run so many times, with seed, seed + 1, ...; 0: once
  int random_starts; // every method from so many random points of the bounds; 0: from the start values
  double found;  // relative difference to the truth, or to the best objective, that counts as found
  bool trace;    // free_objective and best of every step are wanted
  bool parallel; // each run twice: with one thread, and with as many as the problem says
} CompareRequest;

typedef struct Compare {
  Arena *arena;
  const Problem *problem;
  CompareRow *rows;
  int count; // rows
  int done;  // of them, refused ones included
  bool stopped;
  bool can_confirm;    // some method would confirm its results with option confirm on
  int runs_each;       // most runs of one method
  CompareTruth *truth; // NULL: unknown
  CompareRequest request;
  int threads; // of the runs side by side
  double seconds;
} Compare;

typedef struct CompareProgress {
  const Compare *compare;
  int row, run, runs;
  const FitProgress *fit; // NULL between runs
} CompareProgress;
// Return false to stop: the row that is being made is kept with its best point so far.
typedef bool CompareListener(void *data, const CompareProgress *p);

// The request and its methods must outlive it. NULL and err when nothing can be compared.
Compare *compare_run(const Problem *p, const CompareRequest *request, CompareListener *listener,
                     void *data, Err *err);
void compare_free(Compare *c);
// Runs of all methods that can do the problem.
int compare_runs_done(const Compare *c);
int compare_runs_wanted(const Compare *c);
// Whether some method gave a point.
bool compare_has_result(const Compare *c);
