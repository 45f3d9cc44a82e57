// Local searches of a fit: a local method of local/ on the objective, in the scale that each unknown is searched on.
#pragma once
#include "search/search.h"

typedef struct LocalSearch {
  // What is minimised.
  double lambda, strength; // of the feedback
  const FeedbackGains *gains;
  double horizon; // share of the data
  // How far.
  int max_iterations;
  double step_tol;           // the other tolerances scale with it
  bool near;                 // the start is near: no search with less accuracy first
  bool rough;                // the last step is taken without an evaluation
  double target;             // stop at or below this objective; < 0: never
  const bool *held;          // by unknown: stays as it is; NULL: none
  const KnownOptimum *known; // NULL: none
  long step_limit;           // of the integrator in one experiment; 0: the usual one
  // What came out.
  double objective, objective_start;
  FitMisfit misfit, misfit_start; // of the coupled model, see FitPathPoint
  LocalEnd end;
  int iterations, evaluations;
} LocalSearch;

LocalSearch local_search_full(const Search *s); // free model, all data, tolerances of the problem
LocalSearch local_search_coupled(double lambda, double strength); // roughly
// From x, which becomes the best point found.
void local_search_run(Search *s, LocalSearch *l, double *x);

// Goes on from the best point if it comes from a search that was cut short.
void local_search_polish(Search *s);

LsqEnd local_search_end(EvalEnd e); // how an evaluation ended, in the words of local methods
Method local_search_method(const Problem *p); // of option local; with constraints sqp
// A stage of its own: a full local search from x, offered to the search. True: its result fits the noise.
bool local_search_stage(Search *s, const char *stage, const double *x, double target);
