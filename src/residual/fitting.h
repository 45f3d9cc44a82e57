// A problem made ready for evaluation: data, compiled models, feedback, first weighting. Made once for a fit, constant, shared
// by all threads; search, statistics and reports use the same. What changes from call to call is in an EvalSpec, what a
// thread needs for itself in an EvalWork (evaluate.h).
#pragma once
#include "residual/budget.h"
#include "residual/from_data.h"
#include "residual/observer.h"
#include "residual/restart_point.h"
#include "residual/sample_times.h"
#include "residual/weighting.h"

typedef struct Fitting {
  Arena *arena;
  const Problem *problem;
  int n; // unknowns
  MeasuredData *data;
  Weighting *weighting; // by what is known before any fit
  SampleTimes **times;  // by experiment, with delays of 0
  int most_rows;        // of an experiment, whatever the delays
  CompiledModel *model;
  RestartPoints *restarts; // of the free model
  FromData *from_data;     // NULL: rows are those of simulations
  int **
      slope_of; // [experiment][unknown]: position among the parameters of the compiled model, -1: none here
  int **active, *active_count; // [experiment]: unknowns that have a slope there
  struct LazyFeedback
      *feedback; // and the observer, and steps of differences: made when they are first asked for
} Fitting;

Fitting *fitting_new(const Problem *p); // keeps the pointer
void fitting_free(Fitting *f);          // NULL is allowed
// NULL: nothing that is measured can act on the model, or rows begin at the data anyway.
const Feedback *fitting_feedback(const Fitting *f);
const Observer *fitting_observer(const Fitting *f); // NULL: none can be designed, see observer_new
// Of a closed model: how its slopes are made; chosen at the start values of the problem. The budget counts the runs that this takes.
// NULL: the model is not closed.
const struct ClosedSlopes *fitting_closed_slopes(const Fitting *f, Budget *budget);
// Makes what is shared by all who evaluate, and counts it: restart points and, where slopes of a closed model are wanted, their
// steps. Before jobs begin, and at the beginning of a search: so that counts do not depend on who needs it first.
void fitting_prepare(const Fitting *f, bool slopes, Budget *budget);
// Objective of residuals as large as the errors that simulations may have, with the feedback or without.
double accuracy_objective(const Fitting *f, const Weighting *w, bool coupled, double horizon);
