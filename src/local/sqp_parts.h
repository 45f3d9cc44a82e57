// What the two files of the Gauss-Newton SQP share; see sqp.c.
#pragma once
#include "local/descent.h"
#include "num/lsi.h"

typedef struct Sqp {
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial;
  int m;         // constraints
  double *c, *C; // at the point
  double *c_new, *C_new;
  double
      *length; // largest that each row of C has had in scaled numbers: violations are divided by it
  double *tol; // violations below do not count, by constraint
  double violation; // at the point: the sum of those that count
  int stuck;        // accepted steps in a row that hardly reduced it
  double penalty;   // what a violation of 1 counts for
  double *scale;    // largest norm that each column of R has had
  double *seen;     // the same, 0 while it has none
  double *unseen;   // instead of that, of numbers that only constraints see
  double *slope, *norm, *old_slope;
  Curvature *curvature;
  bool curved;                  // steps come from the model with the curvature
  double *curved_R, *curved_Qr; // its triangle
  LinearModel residuals;        // at the point
  LinearModel told;             // of the objective: that of the residuals, or with their curvature
  LinearModel model;            // that steps are taken by: with the curvature of the constraints
  double *bent_R, *bent_z;      // its triangle then
  double *H;                    // second derivatives of the constraints
  double *full; // step to the minimum of the residuals' model under the constraints: not limited
  double full_gain;   // predicted
  double *multiplier; // at the point: forces of the constraints against the slope of the objective
  double *rest;       // what no force holds of the slope
  double *d, *multiplier_of_d;
  double gain;    // predicted by the model for d, without violations
  double promise; // with them
  bool limited;   // d is shorter than the model wants
  double radius;  // of the largest |scale d|
  double size;    // the largest |scale d| before the step was bent to the constraints
  double highest; // objective seen at accepted points
  int rejected;   // in a row
  double worse;   // by how much the last trial was
  bool ended;
  Lsi *lsi, *forces;
  double *M, *A, *b, *low, *high, *step; // of the steps, in scaled numbers
} Sqp;

// ---- sqp_constraints.c

// Values and slopes at x. False: they cannot be computed there.
bool sqp_constraints(const Sqp *s, const double *x, double *c, double *C);
// Lengths and tolerances of the rows at x.
void sqp_measure(Sqp *s, const double *x, const double *C);
double sqp_violation(const Sqp *s, const double *c);
// x = from + d; numbers that end at a bound are put exactly there.
void sqp_set_point(const Sqp *s, const double *from, const double *d, double *x);
// The minimum of a model under the linear constraints, |scale d| at most radius. Those that cannot be met are met as far as
// can be.
void sqp_find_step(Sqp *s, const LinearModel *m, double radius, double *d, double *multiplier);
// Takes x to the constraints by the shortest steps (Newton), as long as these help. Leaves c_new and C_new of x. Returns
// the violation that is left.
double sqp_go_to_constraints(Sqp *s, double *x, int steps_most);
// Multipliers at the point, and the rest of the slope.
void sqp_find_forces(Sqp *s);
// A model with the curvature of the constraints as well. False: there is none, or it is not convex along the constraints.
bool sqp_bend(Sqp *s, const LinearModel *from, LinearModel *to);
