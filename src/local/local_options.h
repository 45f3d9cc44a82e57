// The options of local methods: those that users set by name (step_options.def, newton_options.def), and what the caller says
// about one search.
#pragma once
#include <stdbool.h>

typedef struct LocalOptions {
#define OPT(type, name, default_value, least, most, meaning) type name;
#define OPT_CHOICE(name, default_value, choices, meaning) int name; // index of the word
#include "local/newton_options.def"
#include "local/step_options.def"
#undef OPT
#undef OPT_CHOICE
  int max_iterations;
  double step_tol;      // converged: a step changes every unknown by less, relative to its size
  double gradient_tol;  // converged: largest cosine between the residuals and a column of J
  double reduction_tol; // converged: predicted and actual gain, relative to the objective
  double target;        // stop as soon as the objective is at or below; < 0: never
  // The last step, below step_tol, is taken without an evaluation; objective and slopes are those before it.
  bool rough;
  bool robust; // the objective is a robust loss, not half the sum of the squares of the residuals
  const struct PopulationOptions *population; // global methods only, see global/global.h
} LocalOptions;

// Indices of the words of choices, in the order of the .def files.
enum { SIMPLEX_BOUNDS_CLIP, SIMPLEX_BOUNDS_SINE };
enum { LM_DAMPING_RADIUS, LM_DAMPING_MARQUARDT };
enum { LINE_SEARCH_NATURAL, LINE_SEARCH_ON, LINE_SEARCH_OFF };
enum { GN_RANK_FULL, GN_RANK_MINIMUM_NORM };
enum { SQP_LEAST_SQUARES, SQP_SLSQP };
enum { FILTER_MODEL_GAUSS_NEWTON, FILTER_MODEL_BFGS };
enum { FD_HESSIAN_DIAGONAL, FD_HESSIAN_FULL };
enum { FD_GRADIENT_DIFFERENCES, FD_GRADIENT_SENSITIVITIES };

// The defaults of the .def files; 200 iterations, tolerances as those of a fit, no target.
void local_options_init(LocalOptions *o);
