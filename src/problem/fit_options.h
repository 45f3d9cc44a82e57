// The options of a fit. fit_options.def is the list; 'entrain options' prints it.
#pragma once
#include "base/options.h"

typedef struct FitOptions {
#define OPT(type, name, default_value, least, most, meaning) type name;
#define OPT_CHOICE(name, default_value, choices, meaning) int name; // index of the word
#include "problem/fit_options.def"
#undef OPT
#undef OPT_CHOICE
} FitOptions;

extern const OptionTable FIT_OPTIONS;

// Indices of the words of choices, in the order of the .def.
enum { CRITERION_SUM, CRITERION_INTEGRAL };
enum { LOSS_SQUARES, LOSS_HUBER };
enum { HOMOTOPY_AUTO, HOMOTOPY_PAPER };
enum { COUPLING_P, COUPLING_PD, COUPLING_PID, COUPLING_PID_SQUARED };
enum { LOCAL_TRUST_REGION, LOCAL_LM, LOCAL_LMDER, LOCAL_GAUSS_NEWTON, LOCAL_SQP };
enum { NEWTON_HESSIAN_AUTO, NEWTON_HESSIAN_FORWARD, NEWTON_HESSIAN_ADJOINT }; // as HessianWay
enum { FD_HESSIAN_DIAGONAL, FD_HESSIAN_FULL };
enum { FD_GRADIENT_DIFFERENCES, FD_GRADIENT_SENSITIVITIES };
enum { FD_CLIP_OFF, FD_CLIP_ON };
enum { LM_DAMPING_RADIUS, LM_DAMPING_MARQUARDT };
enum { LINE_SEARCH_NATURAL, LINE_SEARCH_ON, LINE_SEARCH_OFF };
enum { LANES_AUTO, LANES_OFF };
enum { DERIVATIVES_SENSITIVITIES, DERIVATIVES_FORWARD, DERIVATIVES_CENTRAL };
enum { FILTER_MODEL_GAUSS_NEWTON, FILTER_MODEL_BFGS };
enum { SQP_LEAST_SQUARES, SQP_SLSQP };
enum { DE_STRATEGY_RAND, DE_STRATEGY_BEST };
enum { SAMPLING_LATIN_HYPERCUBE, SAMPLING_SOBOL, SAMPLING_RANDOM };
enum { NOISE_PROPORTIONAL, NOISE_ADDITIVE, NOISE_SIGMA };

void fit_options_init(FitOptions *o); // all defaults
