// What a fit finds, what it says on the way, and how it can end.
#pragma once
#include "local/local.h"
#include "problem/problem.h"
#include "residual/work_count.h"

// FIT_OUTCOME(name, word, sentence)
#define FIT_OUTCOMES                                                                               \
  FIT_OUTCOME(CONVERGED, "converged", "the search converged")                                      \
  FIT_OUTCOME(UNCERTAIN, "uncertain", "the search converged, but its result is not certain")       \
  FIT_OUTCOME(NOT_CONVERGED, "not-converged", "the search ended before it converged")              \
  FIT_OUTCOME(STOPPED, "stopped", "stopped by the user")                                           \
  FIT_OUTCOME(BUDGET, "budget", "the budget is used up")                                           \
  FIT_OUTCOME(NO_START, "no-start", "the model could not be simulated at any start")               \
  FIT_OUTCOME(EVALUATED, "evaluated", "evaluated at this point, without a search")                 \
  FIT_OUTCOME(OVER_LIMIT, "over-limit", "the run reached run_seconds or run_memory")               \
  FIT_OUTCOME(LOST, "lost", "those who worked on the run died, as often as it was tried")

typedef enum FitOutcome {
#define FIT_OUTCOME(name, word, sentence) FIT_##name,
  FIT_OUTCOMES
#undef FIT_OUTCOME
      FIT_OUTCOME_COUNT
} FitOutcome;

// All words in their order, with blanks between: for columns of records.
const char *fit_outcome_words(void);
const char *fit_verdict_words(void);

const char *fit_outcome_word(FitOutcome o);
const char *fit_outcome_sentence(FitOutcome o);

// What ended a fit before everything was done. FIT_CUT(name, clause)
#define FIT_CUTS                                                                                   \
  FIT_CUT(NOTHING, "nothing ended the fit")                                                        \
  FIT_CUT(STOP, "the fit was stopped")                                                             \
  FIT_CUT(ENOUGH, "the search was ended by the user")                                              \
  FIT_CUT(SECONDS, "max_seconds ended the fit")                                                    \
  FIT_CUT(SIMULATIONS, "max_simulations ended the fit")

typedef enum FitCut {
#define FIT_CUT(name, clause) FIT_CUT_##name,
  FIT_CUTS
#undef FIT_CUT
} FitCut;

const char *fit_cut_clause(FitCut c);

// FIT_VERDICT(name, word, sentence)
#define FIT_VERDICTS                                                                               \
  FIT_VERDICT(DOUBTFUL, "doubtful", "nothing makes sure that no other optimum fits better")        \
  FIT_VERDICT(CERTAIN, "certain",                                                                  \
              "the residuals are noise, and all confirming searches found nothing better")         \
  FIT_VERDICT(AGREED, "agreed",                                                                    \
              "searches from elsewhere end here, but the model leaves something unexplained")      \
  FIT_VERDICT(AMBIGUOUS, "ambiguous", "another optimum fits the data as well")

typedef enum FitVerdict {
#define FIT_VERDICT(name, word, sentence) FIT_##name,
  FIT_VERDICTS
#undef FIT_VERDICT
} FitVerdict;

enum {
#define FIT_VERDICT(name, word, sentence) +1
  FIT_VERDICT_COUNT = 0 FIT_VERDICTS
#undef FIT_VERDICT
};

const char *fit_verdict_word(FitVerdict v);
const char *fit_verdict_sentence(FitVerdict v);
// A search that converged and has no verdict, because its method does not ask for one.
bool fit_is_unjudged(FitOutcome o, FitVerdict v);
const char *fit_trust_word(FitOutcome o, FitVerdict v); // its verdict; "not certain" if it has none
bool fit_verdict_is_good(FitVerdict v); // the result may be used as it is: certain, agreed

typedef struct FitTerm { // that the equations miss, see term_scores.h
  const char *term;      // x^3; NULL: none
  bool at_start;         // it is x.start, which another value of would explain them
  const char *state;     // in the equation of its derivative
  double share;          // of the squared residuals that it would explain
  double p;              // probability that it explains as much by chance
} FitTerm;

// What the residuals of a result say by themselves, see certificate.h.
typedef struct FitFacts {
  bool known;            // the residuals could be computed
  bool exact;            // they are no more than errors of simulations
  struct {               // of the channel that is nearest to its limit, or farthest beyond it
    double ratio, limit; // residual by noise variance, and the largest one that noise explains
    int channel;         // of all experiments; -1: all together
    bool holds;          // for all channels
  } noise;
  struct {              // of the channel with the least p
    double p;           // probability of such a pattern in white noise
    double correlation; // of neighbours
    int channel;        // -1: all together
    bool holds;         // the patterns of all channels are too weak to count
    bool clean;         // there is none
  } white;
  double effective; // samples, less where residuals are correlated
  FitTerm missing;  // looked for where the result would be certain otherwise
  bool looked;      // for it
} FitFacts;

typedef struct FitOptimum { // one that searches ended at
  double *x;
  double objective;
  double worse;   // difference of log-likelihood to the best, times 2; 0: the best
  int searches;   // that ended there
  bool converged; // one of them
  bool distinct;  // a barrier lies between it and the best
} FitOptimum;

typedef struct FitSearches { // that confirm a result
  int planned, done, agree, better;
  int far, far_agree; // from starts that have nothing to do with the result: done, ended there
  int failed;         // found nothing
  bool cut;           // by a limit
  bool capped;        // that of their own work
} FitSearches;

typedef struct FitFailure { // simulations that ended early, by kind
  Outcome how;
  const char *reason; // word of the outcome
  long count;
  double *x;       // unknowns of the first one
  const char *log; // what it said
} FitFailure;

typedef struct FitMisfit {
  double size; // NaN: unknown
  int experiment, channel;
} FitMisfit;

// A coupled model that comes this near to the data follows them.
#define FIT_FOLLOWS 0.05

typedef struct FitPathPoint { // a stage of the homotopy
  double lambda, objective;   // of the coupled model
  double *x;                  // unknowns, in the order of problem->unknowns
  int iterations;
  double objective_start; // where the stage began; NaN: unknown
  // Of the coupled model: rms error of the worst channel over the range of its data, where the stage began and where it ended.
  // NaN at lambda = 0.
  FitMisfit misfit_start, misfit;
} FitPathPoint;

typedef struct FitStage { // a part of the portfolio
  const char *name; // "weak form", "homotopy", "growing horizon", "local search", "restart 3", ...
  const char *message; // a sentence: what came out
  double objective;    // of the free model, HUGE_VAL when it has none
  long iterations;     // accepted steps
  long simulations;    // with and without sensitivities
  bool fits;           // its result fits the noise
  double *x;           // the best point of the search when it ended; NULL: there was none
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
  FitCut cut;        // what ended the search, or what follows it; the outcome is that of the search
  char message[600]; // sentences
  LocalEnd end;      // of the last local search
  double *x;         // unknowns in the order of problem->unknowns
  double *start;
  double objective; // V of the free model, priors included
  // The same at the start: HUGE_VAL when it cannot be simulated, NaN until it has been, see fit_evaluate_start.
  double objective_start;
  double
      floor; // the objective that noise alone explains, from differences of the data; NaN: unknown
  FitFacts facts;
  bool fits; // the facts say that nothing but noise is left
  FitVerdict verdict;
  FitSearches searches;
  int searches_ended;       // of every kind
  ARRAY(FitOptimum) optima; // the best first
  // By unknown: the least and the largest value at which searches ended that are no worse, with no barrier between; NULL:
  // nothing was confirmed. Numbers that can change places through a low pass have two.
  double *low, *high;
  char why[1200]; // why the result is believed, or not
  const char *by; // the part of the portfolio that found it
  double *sigma;  // by channel of all experiments: what residuals were divided by (1 when unknown)
  // By experiment: time since its origin at which simulations began, NaN: at the start. NULL: all at the start.
  double *restart;
  WorkCount work;         // of everything
  WorkCount search_work;  // without confirming and profiles
  WorkCount profile_work; // of intervals by profiles
  ARRAY(FitFailure) failures;
  ARRAY(FitPathPoint) path;
  ARRAY(FitStage) stages;
  ARRAY(FitGain) gains;
  const char *observer; // whose gains these are, see residual/feedback.h; NULL: none
  FitPieces *pieces;    // NULL: one simulation at x gives the result
  char solver[48];      // of the last simulation
  long solver_steps, solver_rejected;
} FitResult;

typedef struct FitProgress { // at every accepted step and between simulations
  const char *stage;
  double lambda; // of the feedback, 0: the free model
  int iteration;
  double objective; // of what is being minimised, HUGE_VAL before the first step of a stage
  const double *x;  // in the order of problem->unknowns
  const WorkCount *work;
  const char *doubt; // why the best point so far is not enough; NULL: nothing has been judged yet
  // Of the whole search, not of a part of it:
  double
      best; // objective of the best point so far, of the free model over all data; HUGE_VAL: there is none
  int searches; // that have ended
  bool *
      enough; // to be set by who listens: the search ends with its best point, the statistics follow; NULL: cannot be
} FitProgress;

// Return false to stop: the fit then ends with the best point so far, and does not ask again.
typedef bool FitListener(void *data, const FitProgress *p);

FitResult *fit_result_new(const Problem *p, const double *start); // NULL: that of the problem
void fit_free(FitResult *r);
bool fit_has_result(
    const FitResult *r); // a point that can be simulated and satisfies the constraints
// V with what it leaves out when channels are weighted by their own residuals: without the logarithms of the sigmas such
// objectives cannot be compared.
double fit_comparable(const FitResult *r);
double comparable_objective(const Problem *p, double objective, const double *sigma);
// When a channel is fitted down to the errors of simulations, its sigma means nothing: it counts as at least this.
double fit_least_sigma(const Problem *p, const Channel *c);
// Pieces of all experiments; 0 for NULL.
int fit_piece_count(const Problem *p, const FitPieces *pieces);
