// Many fits of one problem from different starts: on all cores, several side by side in the lanes of one simulation where
// the integrator can.
#pragma once
#include "search/fit.h"

typedef struct BatchAnswer {
  bool finished; // false: it was stopped on the way
  FitOutcome outcome;
  LocalEnd end;
  bool certain;
  double objective;  // HUGE_VAL: there is none
  double comparable; // the same where sigmas are estimated, see fit_comparable
  FitWork work;
  double x[]; // the numbers found, in the order of problem->unknowns
} BatchAnswer;

// Told in the order of the starts, without gaps; false ends the batch.
typedef bool BatchTake(void *data, int number, const BatchAnswer *answer);

typedef struct BatchRequest {
  const double *starts; // rows of numbers
  int count;
  int threads; // 0: all cores
  bool lanes;  // where the integrator can
  bool brief;  // take may end it soon: few starts share simulations at first
  BatchTake *take;
  // Now and then, with the number of fits that are finished; false ends the batch: what is finished without a gap is still
  // told. NULL: nobody listens.
  bool (*listener)(void *data, int finished);
  void *data;
} BatchRequest;

// Each is what fit_run with the problem's method gives from its start. Answers do not depend on the number of threads;
// with lanes they depend on their neighbours within the accuracy of simulations, but not on when they are computed. false:
// it was ended.
bool batch_run(const Problem *p, const BatchRequest *request);
