// Which optimum do searches reach, and from where? One search from each of many starts, on a grid or at random, and the
// distinct optima that they found.
#pragma once
#include "base/err.h"
#include "residual/budget.h"
#include "search/fit.h"

typedef enum BasinScale { BASIN_AS_SEARCHED, BASIN_LINEAR, BASIN_LOG } BasinScale;

typedef struct BasinAxis { // an unknown that the starts differ in
  const char *name;
  double low, high; // NaN: its bounds
  BasinScale scale; // of the distances between starts
  int count;        // of the grid's points along it, the first at low, the last at high; random: 0
  int number;       // set by basin_run: of problem->unknowns
} BasinAxis;

typedef struct BasinRequest {
  const BasinAxis *axes; // NULL: all unknowns (random starts only)
  int axis_count;
  int random;          // how many random starts; 0: a grid over the axes
  const double *truth; // of all unknowns, or NULL
} BasinRequest;

// How the search from a start ended.
typedef enum BasinEnd {
  BASIN_OPEN,          // not begun, or not finished: the study was stopped
  BASIN_REACHED,       // an optimum
  BASIN_NOT_CONVERGED, // somewhere else than at an optimum
  BASIN_FAILED,        // the model cannot be simulated
} BasinEnd;

typedef struct BasinStart {
  BasinEnd end;
  int optimum; // REACHED: its number from 0, else -1
  FitOutcome outcome;
  LocalEnd local;
  bool fits;                    // nothing but noise is left
  double objective, comparable; // see fit_comparable; HUGE_VAL: none
  WorkCount work;
} BasinStart;

typedef struct BasinOptimum {
  double *x; // the best of its end points
  double objective;
  int count;    // starts that reached it
  int commoner; // how many others, the best apart, are reached from more starts
  bool fits;    // a search that ended there left nothing but noise; nobody confirmed it
  bool flat;    // its end points differ along a direction that the objective does not see
  // Largest relative difference to the truth in what the data can tell; NaN: there is none.
  double error;
  double median; // simulations, sensitivity simulations included, of the starts that reached it
} BasinOptimum;

typedef struct Basin {
  Arena *arena;
  const Problem *problem;
  BasinAxis *axes; // ranges and scales as they were used (never AS_SEARCHED)
  int axis_count;
  bool random;
  int count, done;      // starts; the first `done` are finished and in their places
  int finished;         // while it runs: searches that have ended
  const double *starts; // rows of unknowns; of a grid the first axis is the fastest
  double *ends;         // rows of unknowns
  BasinStart *start;    // by start
  BasinOptimum *optima; // best first
  int optimum_count;
  int failed, not_converged;
  int unsorted; // end points that it was stopped before it could compare with the optima
  const double *truth;
  WorkCount work;             // of all searches
  FailedSimulation *examples; // of simulations that failed, by outcome
  ARRAY(FitFailure) failures;
  double best;    // objective so far
  double seconds; // by the clock
} Basin;

// Told after each start (in their order), and now and then; false stops: what is done is kept.
typedef bool BasinListener(void *data, const Basin *b);

// Method, threads and seed are those of the problem; unknowns that no axis names begin where the problem says. NULL and err
// when the request makes no sense.
Basin *basin_run(const Problem *p, const BasinRequest *request, BasinListener *listener, void *data,
                 Err *err);
void basin_free(Basin *b);

// The value of an axis at point k of the grid.
double basin_axis_value(const BasinAxis *a, int k);
// Where v stands between low (0) and high (1), on the scale of the axis.
double basin_axis_fraction(const BasinAxis *a, double v);

// Sorts the end points of what is done into optima. Two of them are the same one when their unknowns agree to a thousandth
// and their objectives agree, too; or when the objectives agree and either the objective in the middle between them does,
// too, or a search from there stays between them, as it does along a direction that does not change the objective. basin_run calls it.
void basin_find_optima(Basin *b);
