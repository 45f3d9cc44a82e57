// What is simulated: the mechanical cases of section 3 and the stiff ones of section 5.
#pragma once
#include "hand/hand.h"
#include "lib/adapter.h"

typedef struct Case {
  const HandModel *hand;
  const char *path; // of the model, from the root of the project
  const char *
      settings; // parameters and start values that differ from the model file: "C2=0.5 u.start=1"; NULL: none
  double first, stop; // s; first > 0: outputs at 0, first, 10*first, ... up to stop
  int outputs;        // otherwise evenly spaced, with both ends
  double abs_parts
      [3]; // stiff: absolute tolerances that are tried, relative to the relative one; 0 ends the list
} Case;

extern const Case CASES_MECHANICAL[3], CASES_STIFF[4];

// times[0..count-1]; returns the count. At most CASE_TIMES_MOST.
enum { CASE_TIMES_MOST = 4096 };
int case_times(const Case *c, double *times);
int case_width(const Case *c); // numbers in a row: nx*(1 + np)

// Largest error of a trajectory of rows [x, s_1, ...]. Each column is measured against the largest value it takes; a
// sensitivity against at least a thousandth of (largest value of the state)/(parameter), so that entries which do not
// matter do not decide.
double case_error(const Case *c, const double *rows, const double *reference, int count);

// Entrain's part of it. Keeps the pointer to times. np 0: without sensitivities.
BenchTask case_task(const Case *c, const double *times, int count, double rel_tol, double abs_tol,
                    const char *solver, int np);
