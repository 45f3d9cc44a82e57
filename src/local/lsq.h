// The problem that local and global methods solve: minimise V(x) = |r(x)|^2/2 over unknowns x inside bounds, perhaps under
// constraints. Methods see r by the triangle of its Jacobian, J = Q R, and by Q'r.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef enum LsqEnd {
  LSQ_DONE,
  LSQ_ABANDONED, // the objective exceeds abandon_above
  LSQ_FAILED,    // the simulation failed there: a step to be rejected
  LSQ_STOP,      // the user or the budget ends the search: return the best point
} LsqEnd;

typedef struct LsqPoint {
  double *x;        // n unknowns
  double objective; // V, HUGE_VAL unless DONE
  // J = Q R, R n x n upper triangular by rows, Qr = Q'r; the gradient is R'Qr, the Gauss-Newton step solves R d = -Qr.
  // With a robust loss these belong to the reweighted rows; the gradient is still that of V.
  double *R, *Qr;
  bool has_slopes;
} LsqPoint;

typedef struct Lsq {
  int n;
  const double *lower, *upper; // may be infinite, lower <= upper
  const double *typical; // size that a change of each unknown is compared with when it is 0; > 0
  const double *fd_step; // newton-fd: change of each unknown, 0: as the options say; NULL: all 0
  // Objective of residuals as large as the errors of the simulation (half the sum of their squares); 0: unknown. Methods do
  // not try to gain less.
  double noise;
  void *self;
  // Evaluates at out->x, which is always inside the bounds. May stop with LSQ_ABANDONED as soon as the objective is sure to
  // exceed abandon_above (HUGE_VAL: never). slopes: R and Qr are wanted.
  LsqEnd (*eval)(void *self, LsqPoint *out, double abandon_above, bool slopes);
  // H[n*n] by rows: the second derivatives of the objective at x. NULL: newton uses R'R, those of linear residuals.
  LsqEnd (*hessian)(void *self, const double *x, double *H);
  // Called after every accepted step; may be NULL.
  void (*accepted)(void *self, const LsqPoint *p, int iteration);
  // Objectives of `count` points (rows of n unknowns inside the bounds) side by side: V[k], HUGE_VAL where the model cannot
  // be simulated. LSQ_DONE, or LSQ_STOP: V is then HUGE_VAL where there was no time. NULL: eval is called for each.
  LsqEnd (*values)(void *self, const double *x, int count, double *V);
  // r[rows]: residuals, half their sum of squares is the objective; J[i*rows + k] = dr_k/dx_i, or NULL: not wanted. May be
  // NULL: methods then use R and Qr.
  int rows;
  LsqEnd (*residuals)(void *self, const double *x, double *r, double *J);
  // As values, with the residuals of point k in r[k*rows ...] where V[k] is finite. NULL: residuals is called for each.
  LsqEnd (*vectors)(void *self, const double *x, int count, double *V, double *r);
  // Finite, inside the bounds: the box that points all over the place are drawn from.
  const double *box_low, *box_high;
  // Constraints: c[0 .. equalities-1] = 0, then c >= 0 for the inequalities; C[k*n + i] = dc_k/dx_i, or NULL.
  int equalities, inequalities;
  void (*constraints)(void *self, const double *x, double *c, double *C);
} Lsq;

LsqPoint *lsq_point_new(Arena *a, int n);
void lsq_point_copy(LsqPoint *to, const LsqPoint *from, int n);
