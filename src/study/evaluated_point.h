// A problem at one point, without any search: objective, residuals, statistics as after a fit.
#pragma once
#include "stats/run_errors.h"
#include "study/assessed_fit.h"

typedef struct EvaluatedPoint {
  AssessedFit fit; // outcome FIT_EVALUATED, or FIT_NO_START; there is no search in its result
  double lambda;
  Arena *arena; // of what follows
  const RunErrors *run, *validation;
  // By how much the linear model of the residuals says that the objective could be less, inside bounds and constraints; NaN: not
  // known, or not asked for because the model is coupled.
  double decrease;
  // It is so little, against the noise, that this is a minimum: standard errors and intervals are given only there.
  bool at_minimum;
} EvaluatedPoint;

// x: the unknowns, which may lie outside their bounds; NULL: the start values of the problem. lambda: of the feedback of the
// homotopy (its usual gains, or those of the problem), 0: the free model. false: err; there is nothing to free.
bool evaluated_point(const Problem *p, const double *x, double lambda, EvaluatedPoint *out,
                     Err *err);
void evaluated_point_done(EvaluatedPoint *e);
// Whether the model can be simulated with this lambda: it is a number from 0 to 1, and there is a feedback.
bool feedback_can(const Fitting *f, double lambda, Err *err);
// The weighting at a point: where sigmas are estimated, by its own residuals. The caller frees it.
Weighting *weighting_at(EvalWork *w, double lambda, const double *x);
