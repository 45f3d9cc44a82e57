// The options of a fit. fit_options.def is the list, with those of the methods in their places; 'entrain options' prints it.
#pragma once
#include "base/options.h"
#include "global/population_options.h" // enums of the choices of global methods
#include "local/local_options.h"       // and of local ones

typedef struct FitOptions {
#define OPT(type, name, default_value, least, most, meaning) type name;
#define OPT_CHOICE(name, default_value, choices, meaning) int name; // index of the word
#include "problem/fit_options.def"
#undef OPT
#undef OPT_CHOICE
} FitOptions;

extern const OptionTable FIT_OPTIONS;

// Indices of the words of choices, in the order of the .def; sampling: DESIGN_... of num/design.h.
enum { CRITERION_SUM, CRITERION_INTEGRAL };
enum { RESIDUAL_SIMULATION, RESIDUAL_PREDICTION, RESIDUAL_EQUATION };
enum { PREDICTION_BY_RK4, PREDICTION_BY_EULER, PREDICTION_BY_INTEGRATOR };
enum { SCALE_NONE, SCALE_RANGE, SCALE_RANGE_SQUARED };
enum { LOSS_SQUARES, LOSS_HUBER };
enum { PROFILES_AUTO, PROFILES_OFF };
enum { RESIDUAL_CORRELATION_AUTO, RESIDUAL_CORRELATION_OFF };
enum { HOMOTOPY_AUTO, HOMOTOPY_PAPER };
enum { COUPLING_P, COUPLING_PD, COUPLING_PID, COUPLING_PID_SQUARED };
enum { LOCAL_LM, LOCAL_LMDER, LOCAL_GAUSS_NEWTON, LOCAL_SQP };
enum { NEWTON_HESSIAN_AUTO, NEWTON_HESSIAN_FORWARD, NEWTON_HESSIAN_ADJOINT }; // as HessianWay
enum { CONFIRM_AUTO, CONFIRM_ON, CONFIRM_OFF };
enum { FD_CLIP_OFF, FD_CLIP_ON };
enum { LANES_AUTO, LANES_OFF };
enum { RESTART_POINTS_AUTO, RESTART_POINTS_OFF };
enum { DERIVATIVES_SENSITIVITIES, DERIVATIVES_FORWARD, DERIVATIVES_CENTRAL };
enum { NOISE_PROPORTIONAL, NOISE_ADDITIVE, NOISE_SIGMA };

void fit_options_init(FitOptions *o); // all defaults
