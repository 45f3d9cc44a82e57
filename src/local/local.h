// The local methods: how they are called and how they end.
#pragma once
#include "local/local_options.h"
#include "local/lsq.h"

// LOCAL_END(name, word, converged, sentence)
#define LOCAL_ENDS                                                                                 \
  LOCAL_END(STEP, "small-step", true, "steps have become smaller than step_tol")                   \
  LOCAL_END(GRADIENT, "small-gradient", true, "the residuals are orthogonal to the sensitivities") \
  LOCAL_END(REDUCTION, "small-reduction", true, "the objective cannot be reduced any further")     \
  LOCAL_END(ZERO, "zero-objective", true, "the model fits exactly")                                \
  LOCAL_END(TARGET, "target", true, "the objective is below the target")                           \
  LOCAL_END(SCALES, "smallest-scale", true,                                                        \
            "no step and no neighbour is better, down to the smallest scale")                      \
  LOCAL_END(KNOWN, "known-optimum", true, "the search leads to an optimum that is known already")  \
  LOCAL_END(ITERATIONS, "max-iterations", false, "max_iterations steps were not enough")           \
  LOCAL_END(NO_DESCENT, "no-descent", false,                                                       \
            "no step reduces the objective, although its slope is not zero")                       \
  LOCAL_END(INFEASIBLE, "infeasible", false, "no point was found that satisfies the constraints")  \
  LOCAL_END(FAILED, "step-failed", false,                                                          \
            "a full step led to where the model cannot be simulated")                              \
  LOCAL_END(NO_START, "no-start", false, "the model cannot be simulated at the start values")      \
  LOCAL_END(STOPPED, "stopped", false, "stopped by the user or by the budget")                     \
  LOCAL_END(STALL, "stall", true, "the best point has hardly improved for many generations")       \
  LOCAL_END(TOGETHER, "together", true, "all points of the population have become one")            \
  LOCAL_END(AGREED, "agreed", true, "runs from different points have found the same optimum")      \
  LOCAL_END(GENERATIONS, "max-generations", false,                                                 \
            "the generations were used up before the best point came to rest")

typedef enum LocalEnd {
#define LOCAL_END(name, word, converged, sentence) LOCAL_##name##_END,
  LOCAL_ENDS
#undef LOCAL_END
      LOCAL_END_COUNT
} LocalEnd;

const char *local_end_word(LocalEnd e);
const char *local_end_sentence(LocalEnd e);
bool local_end_converged(LocalEnd e);

typedef struct LocalResult {
  // The caller's. It holds the start on entry and the best point on return, with slopes unless the method needs none.
  LsqPoint *best;
  LocalEnd end;
  int iterations;  // accepted steps, generations
  int evaluations; // calls of eval, points of values
} LocalResult;

// best->x is the start. It is moved inside the bounds first, and a little off them where the model cannot be simulated there.
typedef void LocalMethod(const Lsq *lsq, const LocalOptions *options, LocalResult *result);
// These need slopes.
LocalMethod local_lm, local_lmder, local_gauss_newton, local_sqp, local_newton, local_newton_fd;
LocalMethod local_slsqp; // local_sqp with the option sqp=slsqp
// These need values alone.
LocalMethod local_implicit_filtering, local_nelder_mead, local_bobyqa, local_cobyla;
