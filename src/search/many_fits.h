// Many fits of one problem from different starts: on all cores, several of them in the lanes of one simulation where the
// integrator can.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

typedef struct ManyFitsAnswer {
  bool finished; // false: it was stopped on the way
  FitOutcome outcome;
  LocalEnd end;
  bool certain;
  double objective;  // HUGE_VAL: there is none
  double comparable; // the same where sigmas are estimated, see fit_comparable
  WorkCount work;
  double x[]; // the unknowns found
} ManyFitsAnswer;

// One fit, as fit_run_on.
typedef FitResult *RunFit(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                          void *data);
// Called in the order of the starts, without gaps; false ends all.
typedef bool ManyFitsTake(void *data, int number, const ManyFitsAnswer *answer);

typedef struct ManyFitsRequest {
  RunFit *fit;
  const double *starts; // rows of unknowns
  int count;
  int threads; // 0: all cores
  bool lanes;  // where the integrator can
  bool brief;  // take may end it soon: few starts share simulations at first
  ManyFitsTake *take;
  // Called from time to time, with the number of fits that are finished; false ends all: `take` still gets what is finished
  // without a gap. NULL: nobody listens.
  bool (*listener)(void *data, int finished);
  void *data;
} ManyFitsRequest;

// p: the problem of the fitting, or the same with another method or limits. Each fit gives what fit_run gives from its start.
// Answers do not depend on the number of threads; with lanes they depend on their neighbours within the accuracy of
// simulations, but not on when they are computed. false: it was ended.
bool many_fits_run(const Fitting *f, const Problem *p, const ManyFitsRequest *request);
