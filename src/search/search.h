// What the parts of a fit share: the objective, the best point so far, who listens, what counts as certain.
#pragma once
#include "residual/hessian.h"
#include "residual/objective.h"
#include "residual/points.h"
#include "residual/vectors.h"
#include "search/fit.h"

typedef struct Search {
  Arena *arena; // that of the result
  const Problem *problem;
  Objective *objective;
  bool owns_objective;
  Method method;    // of local searches, METHOD_AUTO: that of option local
  Points *points;   // NULL until somebody asks for many values at once
  Vectors *vectors; // the same of residuals
  Hessian *hessian; // NULL until somebody asks for second derivatives
  int no_hessian;   // points at which they could not be computed
  FitResult *result;
  int n;
  double *best;          // of the free model over the whole horizon
  double best_objective; // HUGE_VAL: none yet
  LocalEnd best_end;
  bool *log; // by free number: searched on a logarithmic scale now
  bool has_tie;
  double *tied; // where the first tied fit ended
  double tied_objective;
  bool tied_converged;
  double *start;
  double *resting; // what the next part starts from
  FitListener *listener;
  void *listener_data;
  FitProgress progress;
  double *shown; // x of the progress
  double began;
  bool stopped, over_budget;
} Search;

// o: an Objective of the problem to use, NULL: one of its own.
Search *search_new(const Problem *p, Objective *o, FitResult *r, FitListener *listener, void *data);
void search_free(Search *s);

// A local search at this lambda and horizon from x, which becomes the best point found.
typedef struct Local {
  double lambda, horizon;
  int max_iterations;
  double step_tol;             // others scale with it
  bool near;                   // the start is: no search with less accuracy first
  bool rough;                  // the last step is taken unseen
  double target;               // < 0: none
  double objective;            // out
  LocalEnd end;                // out
  int iterations, evaluations; // out
} Local;
Local local_free(const Search *s); // whole horizon, lambda 0, tolerances of the problem
Local local_tied(double lambda);   // roughly
void search_local(Search *s, Local *l, double *x);
double search_evaluate(Search *s, double lambda, double horizon,
                       const double *x); // HUGE_VAL: failed

Method search_option_method(const Problem *p); // of option local; with constraints sqp

// An objective over this horizon that is worth going on from.
double search_floor(Search *s, double horizon);
// The objective at or below which a result of the free model may be certain.
double search_limit(Search *s);
bool search_is_short(Search *s); // too few samples to tell anything of noise
// Whether the noise of the data can be told from their motion.
bool search_noise_is_known(Search *s);
// Whether x (with pieces, or NULL) and this objective are at the noise floor, with residuals that look like noise.
bool search_is_certain(Search *s, const FitPieces *pieces, const double *x, double objective);

// Writes why a certain result is believed.
void search_explain(Search *s, const char *by, double objective);

// A result of the free model over the whole horizon: kept when it is the best. True when it is certain.
bool search_offer(Search *s, const char *by, const double *x, double objective, LocalEnd end);

// A part of the portfolio begins; its sentence follows when it ends.
void search_begin(Search *s, const char *stage);
void search_end(Search *s, bool certain, double objective, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool search_goes_on(Search *s); // false: stopped or out of budget
// Whether what was done elsewhere is within the budget; else the search is over.
bool search_affords(Search *s, const FitWork *work);
// To the listener of the fit; notes a stop. The data is the Search.
FitListener search_relay;
void search_tell(Search *s, const double *x, double objective, int iteration); // progress
bool search_keeps_going(void *search); // asks the listener, too: between simulations

void search_random(Search *s, uint64_t number, double *x); // a start inside the bounds
// Where starts are drawn from: the bounds, where they are infinite what is around the start; and whether it is drawn
// logarithmically.
void search_box(const Unknown *f, double *low, double *high, bool *decades);

// The parts. Each starts at x (not changed) and returns whether a certain result was found.
bool homotopy_auto(Search *s, const double *x, double factor, int halvings);
bool homotopy_paper(Search *s, const double *x);
bool homotopy_tie(Search *s); // false: nothing to tie
bool horizon_grow(Search *s, const double *x, double first);
void portfolio(Search *s);
// target: an objective that ends it, < 0: none.
void multistart(Search *s, Method method, int count, double target);
// A result in pieces again, with the present sigma. It stays as it is when that fails.
void shooting_refit(Search *s);
