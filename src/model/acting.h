// From when on parameters act: proofs from the equations that until then they act on nothing.
//
// For a stretch of time every expression gets bounds (interval arithmetic) that hold for all states and all values of the free
// parameters, and a mark whether its value may depend on a free one. What has one possible value depends on nothing: 0 times
// anything, the branch of a condition on time that is taken, pieces of a table, an input that is 0 until then.
#pragma once
#include "expr/range.h"
#include "model/model.h"

typedef struct ActingSpec {
  const double *p;  // all parameters of the model
  const bool *free; // by parameter
  double origin;
  double from, until;    // the stretch, as time since the origin
  const OpRange *inputs; // by input: its values there
  const Expr *outputs;
  int output_count;
} ActingSpec;

typedef struct Acting {
  bool
      on_motion; // states, events, discrete variables, start values, constraints, assertions about these
  bool on_outputs; // of the spec
} Acting;

// Whether a free parameter may act before `until`. false is proved, true is not.
Acting model_acting(Model *m, const ActingSpec *s);
