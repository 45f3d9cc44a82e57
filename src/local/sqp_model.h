// The quadratic model of the SQP at a point, and what other methods that keep constraints ask of it.
#pragma once
#include "local/curvature.h"
#include "local/local.h"
#include "local/sqp_constraints.h"

typedef struct SqpModel {
  const Lsq *lsq;
  SqpConstraints *constraints;
  // At the accepted point
  const LsqPoint *at;
  double *slope, *norm;  // R'Qr and |columns of R|
  double *multiplier;    // forces of the constraints against the slope of the objective
  double *rest;          // what no force holds of the slope
  LinearModel residuals; // Qr + R d
  LinearModel objective; // that of the residuals, or with their curvature: predicts gains
  LinearModel
      lagrangian;   // with the curvature of the constraints as well: steps are taken by this one
  bool curved;      // `objective` has the curvature of the residuals
  double *full;     // step to the minimum of the model under the constraints: not limited
  double full_gain; // predicted
  // Remembered from point to point
  double *seen;            // largest norm that each column of R has had, 0 while it has none
  double *unseen;          // instead of that, of unknowns that only constraints see
  double *old_slope;       // at the point before
  double *step_multiplier; // of the step that was looked for last
  Curvature *curvature;
  // Scratch
  double *curved_R, *curved_Qr; // triangle of the model with the curvature of the residuals
  double *bent_R, *bent_Qr;     // triangle of the lagrangian
  double *H;                    // second derivatives of the constraints
  Lsi *forces;
} SqpModel;

SqpModel *sqp_model_new(Arena *a, const Lsq *lsq, SqpConstraints *constraints);
// At the point p, which has slopes and whose constraints are c_new and C_new. before: the point that the last step led from,
// NULL at the start.
void sqp_model_look(SqpModel *m, const LsqPoint *p, const LsqPoint *before);
// Leaves the curvature of the residuals out of the model.
void sqp_model_use_residuals(SqpModel *m);

// Takes x, which is inside the bounds, to where the constraints hold, without a simulation. False: no such place was found,
// and x has not moved.
bool sqp_reach_constraints(const Lsq *lsq, double *x);
// What one step of the SQP from p, which has slopes, promises to gain under all constraints: 0 where Kuhn and Tucker's
// conditions are satisfied, or where the step is so short (as `part` of each unknown) that it does not matter.
double sqp_promise(const Lsq *lsq, const LsqPoint *p, double part);
