// What the parts of a fit share: how to evaluate, the best point so far, what is left of the budget, who listens.
#pragma once
#include "base/patience.h"
#include "residual/hessian.h"
#include "residual/many_points.h"
#include "search/fit_result.h"

// An optimum that is known already: a search that leads to it may end.
typedef struct KnownOptimum {
  const double *x;
  double objective;
  double unit; // of the objective: so much more is 1 unit of twice the log-likelihood
} KnownOptimum;

typedef struct Search {
  // Fixed for the whole fit.
  Arena *arena;           // that of the result
  const Problem *problem; // that of the fitting, or the same with another method, limits, threads
  const Fitting *fitting;
  EvalWork *work;
  int n;         // unknowns
  double *start; // of the fit
  FitListener *listener;
  void *listener_data;
  double began;      // seconds of the clock
  Patience patience; // of all that the search does, until search_done

  const KnownOptimum *known; // full searches of the free model end when they lead there; NULL: none

  // Made when they are first needed.
  ManyPoints *many;
  Hessian *hessian;
  int no_hessian; // points at which it could not be computed

  // How things stand.
  Method method;              // of local searches; one without a local method: that of option local
  bool *log;                  // by unknown: searched on a logarithmic scale
  const Weighting *weighting; // by the present sigmas
  Weighting *own_weighting;   // the same, if it is not that of the fitting
  Budget budget;
  // Of a closed model: steps of differences that were chosen anew where a search stalled; NULL: those of the fitting.
  const struct ClosedSlopes *closed_slopes;
  long longest;       // steps of the integrator in a successful evaluation, see eval_step_limit
  double *next_start; // what the next part starts from
  bool stopped, over_budget;
  bool enough;  // stopped, with the wish for all that follows a search
  int searches; // that have ended
  // Objective that the search at hand would offer if it were stopped now; HUGE_VAL: it would offer nothing.
  double running;
  const char
      *refused; // why the method has no result although the model can be simulated; NULL: it has

  // What was found.
  struct {
    double *x;
    double objective; // of the free model over all data; HUGE_VAL: none yet
    LocalEnd end;
    FitFacts facts; // of converged points; known: whether they have been found
    bool fits;      // they say that nothing but noise is left
  } best;
  struct { // the best of the points offered since a restart began
    double *x;
    double objective;
    LocalEnd end;
  } offered;
  struct { // by the first fit of the coupled model that converged
    double *x;
    double objective;
    const FeedbackGains *gains; // of its feedback, NULL: "pd"
    bool converged;
  } coupled;
  struct Confirmation *confirmation; // NULL until something has been confirmed, see confirm.h
  FitResult *result;
  FitProgress progress;
  double *shown; // x of the progress
} Search;

// r: an empty result, whose arena is used. The work is used, not kept. Until search_done, whatever runs in this thread goes on
// only as long as the time and the listener of the fit allow; evaluations ask the budget, too.
Search *search_new(const Problem *p, EvalWork *w, FitResult *r, FitListener *listener, void *data);
void search_done(Search *s);

// The spec of evaluations of the free model over all data, with the present weighting and budget.
EvalSpec search_spec(Search *s);
// Evaluates without slopes. HUGE_VAL: it failed.
double search_evaluate(Search *s, double lambda, double horizon, const double *x);
// Remembers the steps of a successful evaluation.
void search_note_steps(Search *s, long steps);
// Takes over another weighting, NULL: that of the fitting. Returns the one before, which the caller frees.
Weighting *search_swap_weighting(Search *s, Weighting *w);

// A result of the free model over all data: kept when it is the best. True when it fits the noise (certificate_fits).
bool search_offer(Search *s, const char *by, const double *x, double objective, LocalEnd end);

// A stage begins; its sentence follows when it ends.
void search_begin(Search *s, const char *stage);
void search_end(Search *s, bool fits, double objective, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool search_goes_on(Search *s); // false: stopped or out of budget
// Whether work done elsewhere is within the budget; else the search is over.
bool search_affords(Search *s, const WorkCount *work);
// To the listener of the fit; notes a stop. The data is the Search.
FitListener search_relay;
void search_tell(Search *s, double lambda, const double *x, double objective, int iteration);
// The facts of the best point, if they are not known yet. Not counted: it belongs to what is said about a result.
void search_find_facts(Search *s);
// Its objective with the logarithms of estimated sigmas, see fit_comparable.
double search_comparable(const Search *s);
// Adds the work of a fit that was made for this one, and what failed in it.
void search_add_work(Search *s, const FitResult *r);
// Fills the result with the best point, the present sigmas, facts, failures and work.
void search_finish(Search *s);
double *search_copy(const Search *s, const double *x); // in the arena of the fit
