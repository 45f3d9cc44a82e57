// Many fits of one problem from different starts: on all cores, several of them in the lanes of one simulation where the
// integrator can.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

typedef struct ManyFitsAnswer {
  bool finished; // false: it was stopped on the way
  FitOutcome outcome;
  LocalEnd end;
  bool fits;         // the noise
  double objective;  // HUGE_VAL: there is none
  double comparable; // the same where sigmas are estimated, see fit_comparable
  WorkCount work;
  double x[]; // the unknowns found; behind them what many_fits_failures reads
} ManyFitsAnswer;

// One fit, as fit_run_on. Without a listener, data is what the request has as `about` its start.
typedef FitResult *RunFit(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                          void *data);
// Called in the order of the starts, without gaps; false ends all.
typedef bool ManyFitsTake(void *data, int number, const ManyFitsAnswer *answer);

typedef struct ManyFitsRequest {
  RunFit *fit;
  const double *starts;  // rows of unknowns
  const Method *methods; // by start; NULL: that of the problem
  void *const *about;    // by start, handed to its fit; NULL: nothing
  int count;
  int threads; // 0: all cores
  bool lanes;  // where the integrator can
  int block;   // starts that share simulations; 0: as many as suit their number
  bool brief;  // take may end it soon: few starts share simulations at first
  bool keep;   // the starts are the runs of a study: each is recorded, however short it is
  ManyFitsTake *take;
  // Called from time to time, with the number of fits that are finished; false ends all: `take` still gets what is finished
  // without a gap. NULL: nobody listens.
  bool (*listener)(void *data, int finished);
  void *data;
} ManyFitsRequest;

size_t many_fits_answer_size(int n); // bytes
// What is kept of a result of n unknowns.
void many_fits_answer(const FitResult *r, int n, ManyFitsAnswer *to);
// Keeps an example of each kind of failed simulation of which there is none yet.
void many_fits_failures(const ManyFitsAnswer *answer, int n, FailedSimulation *into);

// p: the problem of the fitting, or the same with another method or limits. Each fit gives what fit_run gives from its start.
// Answers do not depend on the number of threads; with lanes they depend on their neighbours within the accuracy of
// simulations, but not on when they are computed. false: it was ended.
bool many_fits_run(const Fitting *f, const Problem *p, const ManyFitsRequest *request);
