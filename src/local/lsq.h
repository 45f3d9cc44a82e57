// What local methods see: half a sum of squares in bounded numbers, with the triangle of its Jacobian.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "problem/fit_options.h"

typedef enum LsqEnd {
  LSQ_DONE,
  LSQ_ABANDONED, // the objective is above what was worth finishing
  LSQ_FAILED,    // the simulation failed there: a step to be rejected
  LSQ_STOP,      // the user or the budget ends the search: return the best point
} LsqEnd;

typedef struct LsqPoint {
  double *x;        // n numbers
  double objective; // V, HUGE_VAL unless DONE
  // J = Q R, R n x n upper triangular by rows, Qr = Q'r; the gradient is R'Qr, the Gauss-Newton step solves R d = -Qr.
  // With a robust loss these belong to the reweighted rows; the gradient is still that of V.
  double *R, *Qr;
  bool has_slopes;
} LsqPoint;

typedef struct Lsq {
  int n;
  const double *lower, *upper; // may be infinite, lower <= upper
  const double *typical; // size that a change of each number is compared with when it is 0; > 0
  // Objective of residuals as large as the errors of the simulation (half the sum of their squares); 0: unknown. Local methods
  // do not fight for less.
  double noise;
  void *self;
  // Evaluates at out->x, which is always inside the bounds. May stop with LSQ_ABANDONED as soon as the objective is sure to
  // exceed `worth` (HUGE_VAL: never). slopes: R and Qr are wanted.
  LsqEnd (*eval)(void *self, LsqPoint *out, double worth, bool slopes);
  // H[n*n] by rows: the second derivatives of the objective at x. NULL: nobody knows them, and newton does with those of linear residuals.
  LsqEnd (*hessian)(void *self, const double *x, double *H);
  // Told after every accepted step; NULL: nobody listens.
  void (*accepted)(void *self, const LsqPoint *p, int iteration);
  // Objectives of `count` points (rows of n numbers inside the bounds) side by side: V[k], HUGE_VAL where the model cannot
  // be simulated. LSQ_DONE, or LSQ_STOP: V is then HUGE_VAL where there was no time. NULL: lsq_values does it by eval.
  LsqEnd (*values)(void *self, const double *x, int count, double *V);
  // r[rows]: residuals, half their sum of squares is the objective; J[i*rows + k] = dr_k/dx_i, or NULL: not wanted. NULL:
  // nobody knows more than R and Qr.
  int rows;
  LsqEnd (*residuals)(void *self, const double *x, double *r, double *J);
  // As values, with the residuals of point k in r[k*rows ...] where V[k] is finite. NULL: lsq_vectors does it by residuals.
  LsqEnd (*vectors)(void *self, const double *x, int count, double *V, double *r);
  const double *box_low,
      *box_high; // finite, inside the bounds: where points all over the place are drawn from
  // Constraints: c[0 .. equalities-1] = 0, then c >= 0 for the inequalities; C[k*n + i] = dc_k/dx_i, or NULL.
  int equalities, inequalities;
  void (*constraints)(void *self, const double *x, double *c, double *C);
} Lsq;

// As Lsq.values, one after the other where that is NULL. result->best takes over the
// best of them where it is better than it was (has_slopes is then false); counts evaluations.
typedef struct LocalResult LocalResult;
LsqEnd lsq_values(const Lsq *lsq, const double *x, int count, double *V, LocalResult *result);
// The same with residuals, as Lsq.vectors. One of vectors and residuals must be there.
LsqEnd lsq_vectors(const Lsq *lsq, const double *x, int count, double *V, double *r,
                   LocalResult *result);

LsqPoint *lsq_point_new(Arena *a, int n);
void lsq_point_copy(LsqPoint *to, const LsqPoint *from, int n);

// LOCAL_END(name, word, converged, sentence)
#define LOCAL_ENDS                                                                                 \
  LOCAL_END(STEP, "small-step", true, "steps have become smaller than step_tol")                   \
  LOCAL_END(GRADIENT, "small-gradient", true, "the residuals are orthogonal to the sensitivities") \
  LOCAL_END(REDUCTION, "small-reduction", true, "the objective cannot be reduced any further")     \
  LOCAL_END(ZERO, "zero-objective", true, "the model fits exactly")                                \
  LOCAL_END(TARGET, "target", true, "the objective is below the target")                           \
  LOCAL_END(SCALES, "smallest-scale", true,                                                        \
            "no step and no neighbour is better, down to the smallest scale")                      \
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

typedef struct LocalOptions {
  int max_iterations;
  double step_tol, gradient_tol, reduction_tol;
  double step_factor; // gauss-newton, newton-fd
  bool line_search;   // gauss-newton
  bool
      rough; // a last step below step_tol is taken without an evaluation; objective and slopes are those before it
  double damping; // newton: sigma of the first step
  double c1, c2;  // newton: ratios of gains below which sigma is raised, above which it is lowered
  double fd_step; // newton-fd
  bool fd_full;   // newton-fd: the whole matrix of second derivatives, not its diagonal
  bool fd_exact;  // newton-fd: slopes by sensitivities
  double target;  // stop as soon as the objective is at or below; < 0: never
  const FitOptions *fit; // all others by their names; seed is one of them
} LocalOptions;

struct LocalResult {
  LsqPoint *
      best; // the caller's; holds the start on entry, the best point on return, slopes included unless the method needs none
  LocalEnd end;
  int iterations;  // accepted steps, generations
  int evaluations; // of eval, points of values
};

// Local methods. best->x is the start; it is moved inside the bounds first, off them where the slope leads inside.
typedef void LocalMethod(const Lsq *lsq, const LocalOptions *options, LocalResult *result);
LocalMethod local_lm, local_lmder, local_gauss_newton, local_sqp, local_trust_region, local_newton,
    local_newton_fd;
// These need values alone.
LocalMethod local_implicit_filtering, local_nelder_mead, local_bobyqa, local_cobyla;
