// Does it matter how inputs are interpolated between their samples?
#pragma once
#include "residual/evaluate.h"
#include "residual/varied_problem.h"
#include "search/fit_result.h"
#include "stats/statistics.h"

// Inputs whose interpolation can be chosen, to be changed one after the other or, if they are many, together: groups of inputs.
enum { INPUTS_MOST = 4 }; // that are changed one by one
typedef struct InputGroups {
  int count;
  struct InputGroup {
    bool *input;       // by input of the model
    const char *name;  // "the input u", "all 7 sampled inputs"
    InputKind present; // how they are interpolated; INPUT_KINDS: not all of them in the same way
  } at[INPUTS_MOST];
} InputGroups;
InputGroups input_groups(Arena *a, const Problem *p);

// Adds a remark when another interpolation of a group halves the error of a fit. Two simulations for each group and kind, one
// of them with slopes.
void compare_interpolations(const FitResult *r, const Weighting *weighting, EvalWork *w,
                            Statistics *s);

// How much the simulated data change at x when a group is interpolated in this way: root mean square by channel of all
// experiments. false: it cannot be simulated.
bool interpolation_change(EvalWork *w, const double *x, const struct InputGroup *group,
                          InputKind kind, double *change);
