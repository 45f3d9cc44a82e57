// Whole fits: what is identified from which data; the same for all competitors.
#pragma once
#include <stdbool.h>

#include "hand/hand.h"

enum { FIT_CASES = 4, FIT_PARAMETERS_MOST = 3, FIT_MEASURED_MOST = 2 };

typedef struct FitCase {
  const char *name;  // a word: of files, and of the case in fit_scipy.py
  const char *title; // for tables
  const HandModel *hand;
  const char *model;  // entrain's, a path from the root of the project
  const char *set;    // what differs from the model file, as in a problem file
  const char *bounds; // of each parameter in the problem file: the competitors have none
  double stop;        // s
  int samples;        // evenly spaced, with both ends
  int measured_count, measured[FIT_MEASURED_MOST]; // states
  const char *measured_names[FIT_MEASURED_MOST];
  double start[FIT_PARAMETERS_MOST];
} FitCase;

extern const FitCase FIT_CASE_LIST[FIT_CASES];

static const double FIT_REL_TOL = 1e-8, FIT_ABS_TOL = 1e-10; // of simulations
static const double FIT_TOL = 1e-10;                         // of optimisers

typedef struct FitData { // without noise
  const FitCase *c;
  double *times;
  double *y; // by sample: measured_count numbers
} FitData;

FitData *fit_data_new(const FitCase *c);
void fit_data_free(FitData *d);
bool fit_data_write(const FitData *d, const char *path); // CSV: t and the measured names

typedef struct FitReport {
  bool converged;
  double p[FIT_PARAMETERS_MOST];
  long simulations; // all of them, with and without sensitivities, failed and abandoned ones
  long rhs;         // right-hand sides (of states, alone or with sensitivities); 0: not counted
} FitReport;

double fit_error(const FitCase *c, const double *p); // largest error relative to the parameter
