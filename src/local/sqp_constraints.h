// The constraints as the SQP sees them: how far a point is from them, and steps towards them. Lengths are measured in scaled
// unknowns, scale*d.
#pragma once
#include "local/linear.h"
#include "local/lsq.h"
#include "num/lsi.h"

typedef struct SqpConstraints {
  const Lsq *lsq;
  int m;         // how many; 0 is allowed
  double *scale; // of the unknowns; set by the model, or by sqp_reach
  // State
  double *c, *C;         // at the accepted point
  double *c_new, *C_new; // at the point that was computed last
  double *length;        // largest that each row of C has had: violations are divided by it
  double *tol;           // violations below do not count, by constraint
  double violation;      // at the accepted point: the sum of those that count
  // Scratch of a step
  Lsi *lsi;
  double *M, *A, *b, *low, *high, *step;
} SqpConstraints;

SqpConstraints *sqp_constraints_new(Arena *a, const Lsq *lsq);
// Values and slopes at x. False: they cannot be computed there.
bool sqp_constraints_eval(const SqpConstraints *k, const double *x, double *c, double *C);
// Lengths and tolerances of the rows at x.
void sqp_constraints_measure(SqpConstraints *k, const double *x, const double *C);
// c_new and C_new become those of the accepted point x.
void sqp_constraints_take(SqpConstraints *k, const double *x);
// The sum of the violations that count.
double sqp_violation(const SqpConstraints *k, const double *c);
// x = from + d; unknowns that end at a bound are put exactly there.
void sqp_set_point(const Lsq *lsq, const double *from, const double *d, double *x);
// d minimises a model at the accepted point x under the linear constraints c + C d, |scale d| at most radius. Constraints that
// cannot be met are met as far as can be.
void sqp_find_step(SqpConstraints *k, const double *x, const LinearModel *m, double radius,
                   double *d, double *multiplier);
// Takes x to the constraints by the shortest steps (Newton), as long as these help. Leaves c_new and C_new of x. Returns
// the violation that is left.
double sqp_restore(SqpConstraints *k, double *x, int steps_most);
// The same before anything is known of the residuals: steps are the shortest in relative changes of the unknowns.
double sqp_reach(SqpConstraints *k, double *x);
