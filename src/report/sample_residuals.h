// The residuals of every sample at a point: model minus data, in the units of the data; and the values of the model. The sum of data and
// residual is not the model where the data are far larger.
#pragma once
#include "residual/evaluate.h"
#include "search/fit_result.h"

typedef struct SampleResiduals {
  double ***residual; // [experiment][channel][sample]
  double ***model;    // the same
  int **count;        // [experiment][channel]: how many samples there are
} SampleResiduals;

void sample_residuals_room(SampleResiduals *out, Arena *a, const Problem *p);
// Of one experiment, into its room. false: the model cannot be simulated there.
bool sample_residuals_of(SampleResiduals *out, EvalWork *w, const EvalSpec *spec, const double *x,
                         int experiment);
// All, with the room for them. pieces: of the result at x, or NULL. Lives in a. false: the model cannot be simulated there.
bool sample_residuals(SampleResiduals *out, Arena *a, EvalWork *w, const Weighting *weighting,
                      const FitPieces *pieces, const double *x);
