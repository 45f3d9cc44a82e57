// What lm and newton share: evaluations, acceptance, stopping tests. They differ in how they limit a step, which is a
// StepRule.
#pragma once
#include "local/curvature.h"
#include "local/linear.h"
#include "local/local.h"

typedef struct Descent Descent;

typedef struct StepRule {
  bool plain;                // never adds curvature to the model
  void (*begin)(Descent *s); // at the start, once it has slopes
  // At every point that a step is wanted from; false: stopped. May be NULL.
  bool (*look)(Descent *s);
  void (*propose)(Descent *s);      // sets s->step.d, inside the bounds, and s->step.limited
  double (*gain)(const Descent *s); // that s->step.d promises; NULL: that of s->model.used
  // ratio: actual by predicted gain; -HUGE_VAL when the trial could not be simulated or was abandoned as worse.
  void (*judge)(Descent *s, double ratio);
} StepRule;

// The model at the accepted point, a function of steps d.
typedef struct DescentModel {
  double *slope, *norm;  // R'Qr and |columns of R|
  double *scale;         // largest norm that each column of R has had, 1 while it has none
  double *low, *high;    // bounds of d
  LinearModel residuals; // Qr + R d
  LinearModel used;      // the same, or with curvature added: steps are taken by this one
  bool curved;           // `used` has the curvature
  double *full;     // step to the minimum of the residuals' model inside the bounds: not limited
  double full_gain; // predicted
  double *aim;      // the same of `used`
  double aim_gain;
} DescentModel;

// The proposed step.
typedef struct DescentStep {
  double *d;
  double gain;  // predicted
  bool limited; // d is shorter than aim
  double worse; // actual loss; HUGE_VAL when the trial has no objective
} DescentStep;

// Scratch, and what is remembered for the model at the next point.
typedef struct DescentWork {
  LinearWork *linear;
  Curvature *curvature;
  double *curved_R, *curved_Qr; // triangle of the model with curvature
  double *seen;                 // largest norm that each column of R has had, 0 while it has none
  double *old_slope;            // at the point before
  double *hessian;              // newton: exact, of the objective
  int *held;                    // newton: unknowns that do not move
} DescentWork;

struct Descent {
  const StepRule *rule;
  const Lsq *lsq;
  const LocalOptions *options;
  LocalResult *result;
  LsqPoint *at, *trial; // the accepted point and the one that is tried
  DescentModel model;
  DescentStep step;
  DescentWork work;
  double radius;  // of |scale d|
  double damping; // the last one used
  double highest; // objective seen at accepted points
  int rejected;   // trials in a row
  int cap;        // how often the unknowns have been held back one by one, at this point
  double promise; // full_gain without that
  bool ended;
};

void descent_run(const StepRule *rule, const Lsq *lsq, const LocalOptions *options,
                 LocalResult *result);

// A first radius of ten times the scaled length of the start values. Such steps are taken without hesitation: near a solution
// nothing is faster, and a bad one is abandoned early.
void descent_first_radius(Descent *s);

// A step is taken when its gain is at least this part of what was promised.
#define DESCENT_GOOD 1e-4
