// What the methods share: evaluations that are counted, sizes of changes, tests at the start.
#pragma once
#include "local/local.h"

// Evaluates with slopes and counts; what is not finite has failed.
LsqEnd local_eval(const Lsq *lsq, LsqPoint *p, double abandon_above, LocalResult *result);
// The same without slopes.
LsqEnd local_value(const Lsq *lsq, LsqPoint *p, LocalResult *result);
// Residuals r and Jacobian J (NULL: not wanted) by lsq->residuals; counts, and what is not finite has failed. *objective is
// HUGE_VAL unless DONE.
LsqEnd local_residuals(const Lsq *lsq, const double *x, double *r, double *J, double *objective,
                       LocalResult *result);
// Objectives of `count` points as Lsq.values, one after the other where that is NULL. result->best takes over the best of
// them where it is better than it was (has_slopes is then false); counts evaluations.
LsqEnd local_values(const Lsq *lsq, const double *x, int count, double *V, LocalResult *result);
// The same with residuals, as Lsq.vectors. One of vectors and residuals must be there.
LsqEnd local_vectors(const Lsq *lsq, const double *x, int count, double *V, double *r,
                     LocalResult *result);

// What a change of unknown i is compared with.
double local_size(const Lsq *lsq, const double *x, int i);
// Whether a step changes no unknown by more than tol, relative to its size.
bool local_is_small(const Lsq *lsq, const double *x, const double *d, double tol);
// The largest cosine between the residuals and a column of R that may move: 0 where the slope vanishes. norm[i]: |column i|.
double local_cosine(const Lsq *lsq, const LsqPoint *p, const double *slope, const double *norm);
// Puts x inside the bounds.
void local_clamp(const Lsq *lsq, double *x);
// Moves a start at a bound, where the model cannot be simulated, a little inside. false: it is at none.
bool local_move_off_bounds(const Lsq *lsq, double *x);
// Whether a search whose start was evaluated like this ends there; sets *end.
bool local_ends_at_start(LsqEnd e, const LsqPoint *start, const LocalOptions *options,
                         LocalEnd *end);
// Whether the point is as good as wanted; sets *end.
bool local_is_good(const LsqPoint *p, const LocalOptions *options, LocalEnd *end);
